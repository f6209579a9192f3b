// What the engine draws at some events, as JSON; and what it draws otherwise as soon as the run has
// come to the event.

import {createPage} from "../../app/ucbpe_app/engine/page.js"
import {digest, picked, reaches, replayed, simulate} from "../../app/ucbpe_app/engine/run.js"
import {RESTING} from "../../app/ucbpe_app/engine/screen.js"
import {problemOf} from "./check.js"

const plain = (_, value) => {
  if (ArrayBuffer.isView(value)) { return Array.from(value) }
  if (value instanceof Map) { return Array.from(value) }
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value
}

const runsOf = (problem, settings, moved) => (
  moved.length ? replayed(simulate(problem, settings), moved) : picked(problem, settings))

function soonest(runs, event) {
  for (const run of runs) { if (reaches(run, event)) { return run } }
}

// The names of what differs, but for axes, which are those of all events.
function differing(found, known) {
  const parts = ["sources", "models", "html"].flatMap((part) => (
    Object.entries(found[part]).filter(([name, value]) => !RESTING.test(name) 
      && JSON.stringify(value, plain) !== JSON.stringify(known[part][name], plain))))
  const {items, status} = found.timeline
  const same = JSON.stringify({items, status}) === JSON.stringify({
    items: known.timeline.items, status: known.timeline.status})
  return [...parts.map(([name]) => name), ...same ? [] : ["timeline"]]
}

// The axes of the decision plane, which its picture fills.
function windowOf({models}) {
  const [across, upwards] = [models["plane.x_range"], models["plane.y_range"]]
  return across && [across.start, across.end, upwards.start, upwards.end]
}

export function drawn({tables, lexicon, layers, runs}) {
  const problem = problemOf(tables)
  const all = runs.map(({settings, events, moved}) => {
    const whole = [...runsOf(problem, settings, moved)].at(-1)
    const page = createPage(whole, lexicon, layers)
    const shown = events.map((i) => page.show(i))
    const early = events.map((i, k) => {
      const run = soonest(runsOf(problem, settings, moved), page.replay.events[i])
      return differing(createPage(run, lexicon, layers).show(i, windowOf(shown[k])), shown[k])
    })
    return {shown, early, digest: digest(whole)}
  })
  return JSON.stringify(all, plain)
}
