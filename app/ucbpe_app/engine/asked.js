// What is asked before an event, and what the answer is held against: ucbpe_app.pictures.asked.

import {extent, sizeOf} from "./arrays.js"
import {logImprovement} from "./policies.js"
import {closest} from "./replay.js"
import {isWhole} from "./run.js"
import {pickLabel} from "./words.js"

const PREFIX = "ask."
const PLOTS = {ucb: "function", fill: "function", pe: "std", init: "std"}

// The values of all candidates by the criterion of a role; empty where it gives them none.
function valuesOf({decision, event: {k}, explored, mean, std, stdNow, sqrtBeta, observed}, {run: {p}, scene: {sign}}) {
  const scores = {
    bound: () => mean.map((one, i) => sign * one + sqrtBeta * stdNow[i]),
    std: () => stdNow,
    penalised: () => stdNow.map((one, i) => (!explored ? one
      : one + explored.slope * Math.min(sign * mean[i] + explored.coefficient * std[i] - explored.level, 0))),
    ei: () => {
      const best = observed.length ? Math.max(...observed.map((i) => sign * mean[i])) : p.prior.mean
      return mean.map((one, i) => Math.exp(logImprovement(sign * one, std[i], best)))
    },
  }
  const {role} = decision.picks[k]
  const name = {ucb: "bound", fill: "bound", pe: "std", init: "std"}[role] ?? role
  return scores[name] ? Float64Array.from(scores[name]()) : new Float64Array(0)
}

// Numbers of the event that a task can be about, without those that are not on screen: ucbpe_app.run.facts.
export function factsOf({picks, regionPlus}) {
  const first = picks.find(({number}) => number === 0)
  return {...first ? {x0: first.x[0]} : {},
    ...regionPlus ? {region: 100 * sizeOf(regionPlus) / regionPlus.length} : {}}
}

// Of the tasks of `lexicon.asking`, those of a run: the `marks` of their events, and by index what is
// asked before an event and what an answer to it is held against.
function createTasks({run, events, scene, frame}, {asking, inputs}, extents) {
  const [x, y] = scene.columns
  const order = [...x.keys()].sort((i, j) => x[i] - x[j] || i - j)
  const ascending = (values) => Float64Array.from(order, (i) => values[i])
  const found = new Map()
  for (const {at, ...task} of asking?.tasks ?? []) {
    const own = events.findIndex(({text}) => text === at)
    const index = own + (task.kind === "draw" ? 0 : 1)
    if (own >= 0 && index > 0 && index < events.length && (task.kind === "set" || !y)) { found.set(index, task) }
  }

  function made(index, isAnswered) {
    const task = {...found.get(index), index}
    if (task.kind !== "draw") { return isAnswered ? {} : task }
    if (!isWhole(run)) { return {} } // a curve is drawn before results, which another run lacks
    const [before, {observed, observedY, mean, lower, upper}] = [frame(index - 1), frame(index)]
    const isMean = task.of === "mean"
    const lines = {x, before: isMean ? before.mean : before.upper,
      ...isAnswered && (isMean ? {curve: mean, lower, upper} : {curve: upper})}
    return {
      ...task, name: inputs[0], extents, results: {x: Float64Array.from(observed, (i) => x[i]), y: observedY},
      ...Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, ascending(line)])),
    }
  }

  const marks = [...found].map(([index, {event, kind}]) => ({index, event, kind}))
  return {marks, has: (index) => found.has(index), ask: (index) => made(index, false), gap: (index) => made(index, true)}
}

// `lexicon.asking` has which events are asked, in which picture, and from which on f is shown.
export function createAsking(replay, lexicon) {
  const {run, scene, events} = replay
  const {columns, sign} = scene
  const {asking, texts, criteria} = lexicon
  const wanted = new Set(asking?.events ?? [])
  const picks = events.flatMap((event, index) => (wanted.has(event.text) && event.kind === "pick" ? [{index, event: event.text}] : []))
  const words = Object.fromEntries(Object.entries(texts).filter(([name]) => name.startsWith(PREFIX)))
  const extents = columns.map(extent).map(([low, high]) => high - low)
  const [x, y = new Float64Array(0)] = columns
  const isAsked = (index) => picks.some((one) => one.index === index)
  const tasks = createTasks(replay, lexicon, extents)
  const marks = [...picks, ...tasks.marks.filter(({index}) => !isAsked(index))].sort((one, other) => one.index - other.index)

  const places = (index) => ({
    kind: "place", index, event: events[index].text, picture: asking.picture,
    label: pickLabel(events[index].k), x, y, names: lexicon.inputs, extents,
  })
  const ask = ({mean, stdNow}, index) => (
    {...places(index), question: events[index].k ? "ask.next" : "ask.first", mean, std: stdNow})

  function gap(frame, index) {
    const {decision, event: {k}, sqrtBeta} = frame
    const {index: pick, role, std} = decision.picks[k]
    const bounded = scene.usesRegion && k > 0 && decision.regionPlus.some((one) => one)
    const values = valuesOf(frame, replay)
    if (bounded) { decision.regionPlus.forEach((one, i) => { if (!one && values.length) { values[i] = NaN } }) }
    const inside = values.filter((one) => !Number.isNaN(one))
    const isBound = PLOTS[role] === "function"
    const own = run.p.stdTolerance(std)
    const [least, largest] = inside.length ? extent(inside) : [0, 0]
    return {
      ...places(index), pick, values, least, largest, name: criteria[role],
      tolerance: !values.length ? 0 : isBound ? run.p.tolerance + sqrtBeta * own : own,
      sign: isBound ? sign : 1, plot: PLOTS[role] ?? "", grouped: false,
    }
  }

  return {
    hidesRules: picks.length > 0,
    asked: marks.length ? {key: asking.key, marks, words} : {},
    at: (frame) => ({
      ask: isAsked(frame.index + 1) ? ask(frame, frame.index + 1) : tasks.has(frame.index + 1) ? tasks.ask(frame.index + 1) : {},
      gap: isAsked(frame.index) ? gap(frame, frame.index) : tasks.has(frame.index) ? tasks.gap(frame.index) : {},
    }),
  }
}

// The layers at an event, of those that are chosen: `Asking.layers`.
export function layersAt(layers, {events}, index, reveal) {
  if (!reveal) { return layers }
  const truth = layers.truth || index >= closest(events, reveal)
  return {...layers, truth, secret: !truth}
}
