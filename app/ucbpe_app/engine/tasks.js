// What the page needs for a task of a lesson: ucbpe_app.pictures.tasks.

import {isWhole} from "./run.js"

// Of the tasks of `lexicon.asking`, those of a run: the `marks` of their events, and by index what is
// asked before an event and what an answer to it is held against.
export function createTasks({run, events, scene, frame}, {asking, inputs}, extents) {
  const [x, y] = scene.columns
  const order = [...x.keys()].sort((i, j) => x[i] - x[j] || i - j)
  const ascending = (values) => Float64Array.from(order, (i) => values[i])
  const found = new Map()
  for (const {at, ...task} of asking?.tasks ?? []) {
    const own = events.findIndex(({text}) => text === at)
    const index = own + (task.kind === "draw" ? 0 : 1)
    if (own >= 0 && index > 0 && index < events.length && (task.kind === "set" || !y)) { found.set(index, task) }
  }

  // A curve is drawn before results, which a run has that is whole.
  function ask(index) {
    const task = {...found.get(index), index}
    if (task.kind !== "draw") { return task }
    if (!isWhole(run)) { return {} }
    const [before, {observed, observedY}] = [frame(index - 1), frame(index)]
    return {
      ...task, x: ascending(x), name: inputs[0], extents,
      results: {x: Float64Array.from(observed, (i) => x[i]), y: observedY},
      before: ascending(task.of === "mean" ? before.mean : before.upper),
    }
  }

  function gap(index) {
    const question = found.get(index).kind === "draw" ? ask(index) : {}
    if (!("x" in question)) { return {} }
    const {mean, lower, upper} = frame(index)
    return {...question, ...question.of === "mean"
      ? {curve: ascending(mean), lower: ascending(lower), upper: ascending(upper)} : {curve: ascending(upper)}}
  }

  const marks = [...found].map(([index, {event, kind}]) => ({index, event, kind}))
  return {marks, has: (index) => found.has(index), ask, gap}
}
