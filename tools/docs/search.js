// What Sphinx's search takes for words, and which pages it shows first.

// People type R+ for R⁺.
splitQuery = (query) => query.replace(/\bR\+/i, "R⁺").match(/R⁺|[\p{L}\p{N}_]+/giu) ?? []

// The guide comes first, then the chapters, the reference, and what is for developers.
const LATER = [/^chapters/, /^(api|files)\b/, /^(developers|benchmarks|project)\b/]

Scorer.score = ([page, , , , score, , kind]) => {
  const group = LATER.findIndex((one) => one.test(page)) + 1
  return score + (kind === "title" ? 10 : 0) - 1000 * group
}
