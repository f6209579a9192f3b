// Runs and what they draw, away from the page, which asks and goes on.

import {createPage} from "./page.js"
import {closest} from "./replay.js"
import {digest, simulate} from "./run.js"
import {differenceOf} from "./verify.js"

let parts = null
let kept = {key: "", page: null}

function problemOf(tables) {
  const columns = tables.columns.map((column) => Float64Array.from(column))
  return {...tables, columns, values: Float64Array.from(tables.values)}
}

function pageOf({settings, own, layers = parts.layers}) {
  const key = JSON.stringify([settings, own, layers])
  if (kept.key !== key) {
    const run = simulate(parts.problem, settings, own)
    kept = {key, page: createPage(run, parts.lexicon, layers), digest: digest(run)}
  }
  return kept
}

const ANSWERS = {
  open: ({live}) => {
    parts = {...live, problem: problemOf(live.tables)}
    kept = {key: "", page: null}
  },
  // An event of a run: that of the index, or the one like `event`.
  show: (request) => {
    const {page, digest: own} = pageOf(request)
    const {events} = page.replay
    // A step may have been asked of the run before, which had more events.
    const index = Math.min(request.index ?? closest(events, request.event), events.length - 1)
    return {index, event: events[index], digest: own, drawn: page.show(index)}
  },
  verify: () => {
    const run = simulate(parts.problem, parts.settings)
    return {digest: digest(run), difference: differenceOf(run, parts.expected)}
  },
}

self.onmessage = ({data}) => {
  try {
    self.postMessage({id: data.id, ...ANSWERS[data.kind](data)})
  } catch (error) {
    self.postMessage({id: data.id, error: error.message})
  }
}
