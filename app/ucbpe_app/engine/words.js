// Texts and names as they are written on screen: ucbpe_app.run.sentences.texts.

import {sizeOf} from "./arrays.js"
import {number, percent} from "./numbers.js"

export {coordinates, general, number, percent} from "./numbers.js"

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
const ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&#34;", "'": "&#39;"}

// A text as HTML, in the characters that Python has for it.
export const escape = (text) => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter])

// HTML of the lexicon with its places filled: by texts, which are escaped, or by HTML `inner`.
export const html = (template, texts, inner = {}) => (
  template.replace(/\{(\w+)\}/g, (_, name) => inner[name] ?? escape(`${texts[name]}`)))

// A text of the lexicon with its places filled: "{n} picks".
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name])

// The text of a name, its places filled: ucbpe_app.run.sentences.texts.say.
export function say(texts, name, facts = {}) {
  const one = `${name}.one`
  return texts[facts.n === 1 && one in texts ? one : name].replace(/\{([\w.]+)\}/g, (_, place) => {
    const fact = String(facts[place] ?? `@${place}`)
    return fact.startsWith("@") ? say(texts, fact.slice(1), facts) : fact
  })
}

export const only = (name, condition) => (condition ? `@${name}` : "")

// What the word that a label begins with means, or nothing.
export function explain({glossary}, label) {
  return glossary.find(([pattern]) => new RegExp(`^(?:${pattern})`, "u").test(label))?.[1] ?? ""
}

// A bound rounded so that it stays one: down for sign 1, up for -1.
export function atLeast(value, sign) {
  if (value === 0) { return "0" }
  const scale = 10 ** (2 - Math.floor(Math.log10(Math.abs(value))))
  return number(sign * Math.floor(sign * value * scale) / scale)
}

export const percentage = (mask) => percent(sizeOf(mask) / mask.length)

// The fact `earlier`, with those in it: the picks before pick k.
export const earlierPicks = (k) => ({
  earlier: k === 1 ? pickLabel(0) : "@several", first: pickLabel(0),
  between: k === 2 ? "@and" : "@to", last: pickLabel(Math.max(k - 1, 0)),
})

export const pickLabel = (k) => `x${[...String(k)].map((digit) => SUPERSCRIPTS[digit]).join("")}`

// A count as it is read: 12 345, with spaces that do not break.
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, " ")
