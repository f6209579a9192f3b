// Words of a sentence that act: ucbpe_app.components.algorithm, by the pattern of ucbpe_app.run.glossary.

import {explain} from "./legends.js"
import {escape} from "./words.js"

function term(lexicon, mark, words) {
  const about = `data-mark="${mark}" title="${escape(explain(lexicon, words))}"`
  return `<span class="term" role="term" tabindex="0" ${about}>${escape(words)}</span>`
}

// Of a mark, the first word in the sentence is its term.
export function acting(lexicon, sentence) {
  const seen = new Set()
  const parts = []
  let end = 0
  for (const found of sentence.matchAll(new RegExp(lexicon.acting, "gu"))) {
    const name = Object.keys(found.groups).find((one) => found.groups[one] !== undefined)
    if (seen.has(name)) { continue }
    seen.add(name)
    parts.push(escape(sentence.slice(end, found.index)))
    parts.push(term(lexicon, name, found[0]))
    end = found.index + found[0].length
  }
  return [...parts, escape(sentence.slice(end))].join("")
}
