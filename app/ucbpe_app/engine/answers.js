// The engine: runs and what they draw, as asked for. Its state belongs to the last request.

import {cells} from "./cell.js"
import {createPage} from "./page.js"
import {closest} from "./replay.js"
import {digest, isWhole, picked, reaches, regrets, replayed, simulate} from "./run.js"
import {pickLabel, say} from "./words.js"

let parts = null
let kept = {key: "", run: null}
let measured = {key: "", run: null} // the run whose measurements are moved
let raced = {key: "", behind: null} // the run whose regret is drawn behind

function problemOf(tables) {
  const columns = tables.columns.map((column) => Float64Array.from(column))
  return {...tables, columns, values: Float64Array.from(tables.values)}
}

// The first difference between a run and what Python made of it, in words; "" for none.
export function differenceOf({iterations, y, initial}, expected, texts) {
  const start = y.slice(0, initial).findIndex((one, i) => one !== expected.y[i])
  const differs = (name, facts) => say(texts, `verify.${name}`, facts)
  if (start >= 0) {
    return differs("start", {number: start + 1, own: y[start], known: expected.y[start]})
  }
  for (const [i, {t, picks, beta}] of iterations.entries()) {
    if (beta !== expected.beta[i]) { return differs("beta", {t, own: beta, known: expected.beta[i]}) }
    for (const [k, {index: own}] of picks.entries()) {
      const [known, at] = [expected.picks[i][k], initial + i * picks.length + k]
      if (own !== known) { return differs("pick", {pick: pickLabel(k), t, own, known}) }
      if (y[at] !== expected.y[at]) { return differs("result", {pick: pickLabel(k), t}) }
    }
  }
  return ""
}

function measuredBy(settings, own) {
  const key = JSON.stringify([settings, own])
  if (measured.key !== key) { measured = {key, run: simulate(parts.problem, settings, own)} }
  return measured.run
}

// The run of other settings behind that of a request, or null; undefined where there is never one.
function behindOf({against, own}) {
  if (!against) { return against }
  const key = JSON.stringify([against, own])
  if (raced.key !== key) {
    const run = simulate(parts.problem, against.settings, own)
    raced = {key, behind: {regrets: regrets(run), label: against.label, digest: digest(run)}}
  }
  return raced.behind
}

// The run of a request, at least to its event, and further until the time is over.
function runOf({settings, own, moved = [], layers = parts.layers, against, event}, until) {
  const key = JSON.stringify([settings, own, layers, moved, against])
  if (kept.key !== key) {
    const runs = moved.length ? replayed(measuredBy(settings, own), moved)
      : picked(parts.problem, settings, own, kept.run)
    kept = {layers, runs, run: null, page: null}
  }
  const isEnough = (run) => run !== null
    && (isWhole(run) || (performance.now() > until && reaches(run, event)))
  kept.key = "" // after an error the next request starts again, and reports the reason
  while (!isEnough(kept.run)) {
    kept.run = kept.runs.next().value
    kept.page = null
  }
  kept.key = key
  return kept.run
}

const ANSWERS = {
  open: ({live}) => {
    parts = {...live, problem: problemOf(live.tables)}
    kept = measured = {key: "", run: null}
    raced = {key: "", behind: null}
  },
  // An event of a run: that of the index, or the one like `event`. With a `budget` in ms the answer
  // can be of a run that is not whole; asked again, with what was `seen`, it brings the rest. Axes that
  // are `locked`, or of such a run, stay: the decision plane's have this `window`.
  show: (request) => {
    const {event, budget, seen, window, locked} = request
    const run = runOf(request, performance.now() + (budget ?? Infinity))
    const partial = !isWhole(run)
    if (partial && seen) { return {partial} }
    kept.page ??= createPage(run, parts.lexicon, kept.layers, behindOf(request))
    const {events} = kept.page.replay
    // A step may have been asked of the run before, which had more events.
    const index = Math.min(request.index ?? closest(events, event), events.length - 1)
    const drawn = kept.page.show(index, locked || partial ? window : null)
    const last = kept.page.replay.scene.regrets.running.at(-1)
    return {index, event: events[index], digest: partial ? null : digest(run), drawn, partial, last}
  },
  // Runs of these settings at several scales of beta, with the random numbers of another seed.
  cells: ({settings, scales, random}) => (
    {cells: cells({...parts.problem, ...random}, settings, scales)}),
  verify: () => {
    const run = simulate(parts.problem, parts.settings)
    return {digest: digest(run), difference: differenceOf(run, parts.expected, parts.lexicon.texts)}
  },
}

// To a request of one of these kinds; or the error, which the page is to say.
export function answer(request) {
  try {
    return ANSWERS[request.kind](request) ?? {}
  } catch (error) {
    return {error: parts.lexicon.texts[error.message] ?? error.message}
  }
}
