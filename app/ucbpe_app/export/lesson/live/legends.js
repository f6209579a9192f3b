// Legends as HTML, of swatches that Python drew: ucbpe_app.figures.legends.

import {escape} from "./words.js"

const LATER = " style=\"visibility:hidden\" aria-hidden=\"true\""

export function explain({glossary}, label) {
  return glossary.find(([pattern]) => new RegExp(`^(?:${pattern})`, "u").test(label))?.[1] ?? ""
}

// The start of an entry, which says on request what its label means.
export function item(lexicon, label, attributes = "") {
  const meaning = explain(lexicon, label)
  return `<li${meaning ? ` title="${escape(meaning)}"` : ""}${attributes}>`
}

// Entries [key, swatch, label] of which `labels` has the key, under that label or its own if it is
// empty; null leaves one out. Those reserved follow unseen: the legend keeps its height.
export function listed(lexicon, entries, labels, reserved = []) {
  const row = (swatch, label, attributes = "") => (
    `${item(lexicon, label, attributes)}${swatch}${escape(label)}</li>`)
  const has = (key) => labels[key] !== undefined && labels[key] !== null
  const shown = entries.filter(([key]) => has(key))
    .map(([key, swatch, label]) => row(swatch, labels[key] || label))
  const later = reserved.filter((key) => !has(key)).map((key) => {
    const [, swatch, label] = entries.find(([name]) => name === key)
    return row(swatch, label, LATER)
  })
  return `<ul>${[...shown, ...later].join("")}</ul>`
}

// All entries [swatch, label].
export function all(lexicon, entries) {
  const rows = entries.map(([swatch, label]) => (
    `${item(lexicon, label)}${swatch}${escape(label)}</li>`))
  return `<ul>${rows.join("")}</ul>`
}
