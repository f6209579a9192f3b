// A run: batches chosen and measured, as ucbpe_core.search.simulation. What Python draws with its
// generators, the initial points and the noise, comes as tables.

import {extent} from "./arrays.js"
import {createKernel} from "./kernels.js"
import {decide, hasOwnRegion} from "./policies.js"
import {Posterior} from "./posterior.js"
import {sha256} from "./sha256.js"

// What the rows of a posterior do not depend on, apart from the points.
const NOT_OF_ROWS = new Set(["mean", "policy", "K", "T", "C", "widening", "initialization", "schedule", "seed",
  "delta", "beta", "scale", "a", "b", "r"])

// A run pick by pick: after each, the run so far, whose `end` is null within a batch. `earlier` is
// another of the problem, which is used up: where only the policy or beta differ, they have rows in
// common, a half to nearly all of the work.
//
// problem: {columns, grid, values, sign, start, startY, noise, noiseStd, draws}: noise[t - 1][k] is that
// of pick k of batch t, in units of noiseStd; draws[t - 1] are what the policy draws in batch t; `own` are candidates that the reader measured before
// batch 1, with the noise of noise[T].
export function* picked(problem, settings, own = [], earlier = null) {
  const {columns, grid, values, sign, noise, noiseStd} = problem
  const kernel = createKernel(settings, columns, grid)
  // 0 - mean as in Python, where a mean of 0 stays 0 and not -0.
  const mean = sign > 0 ? settings.mean : 0 - settings.mean
  const isAlike = Object.entries(settings).every(([name, value]) => (
    NOT_OF_ROWS.has(name) || earlier?.settings[name] === value))
  const prior = {mean, noiseVariance: settings.noise_variance}
  const p = new Posterior(kernel, prior, earlier?.p, isAlike)
  const measured = (i, error) => values[i] + noiseStd * error
  const y = []
  const tell = (value) => {
    y.push(value)
    p.observe(sign * value)
  }
  const start = [...problem.start, ...own]
  start.forEach((i, k) => {
    p.hallucinate(i)
    tell(k < problem.startY.length ? problem.startY[k]
      : measured(i, problem.ownNoise[k - problem.startY.length]))
  })
  const complete = []
  let now = p.snapshot()
  for (let t = 1; t <= settings.T; t++) {
    const {choices, ...decision} = decide(p, t, settings, columns.length, problem.draws[t - 1], now)
    const soFar = (picks, end) => {
      const iterations = [...complete, {...decision, yDot: sign * decision.yDot, picks}]
      return {problem, settings, initial: start.length, iterations, y, p, end}
    }
    const picks = []
    for (const pick of choices) {
      picks.push(pick)
      yield soFar([...picks], null)
    }
    picks.forEach(({index}, k) => tell(measured(index, noise[t - 1][k])))
    now = p.snapshot()
    const run = soFar(picks, now)
    complete.push(run.iterations.at(-1))
    yield run
  }
}

// The decisions of a whole run on its measurements, of which some are `moved` to other values, or left
// out by null: [number, value] each. Batch by batch; see ucbpe_core.search.simulation.replay_decisions.
export function* replayed(measured, moved) {
  const {problem, settings, initial, iterations: made} = measured
  const {kernel, prior, indices} = measured.p
  const values = new Map(moved)
  const all = measured.y.map((own, i) => (
    {index: indices[i], own, y: values.has(i) ? values.get(i) : own}))
  const p = new Posterior(kernel, prior)
  const [y, iterations] = [[], []]
  const tell = (from, to) => {
    for (const one of all.slice(from, to).filter(({y: value}) => value !== null)) {
      p.hallucinate(one.index)
      p.observe(problem.sign * one.y)
      y.push(one.y)
    }
    return p.snapshot()
  }
  let now = tell(0, initial)
  for (let [t, n] = [1, initial]; t <= settings.T; t++) {
    const {choices, ...decision} = decide(p, t, settings, problem.columns.length, problem.draws[t - 1], now)
    const picks = [...choices]
    const rows = p.forget(now)
    iterations.push({...decision, yDot: problem.sign * decision.yDot, picks, rows})
    now = tell(n, n += made[t - 1].picks.length)
    yield {problem, settings, initial, iterations: [...iterations], y, p, end: now, measured, all}
  }
}

// A whole run.
export function simulate(...parts) {
  let whole = null
  for (const run of picked(...parts)) { whole = run }
  return whole
}

export const isWhole = ({iterations, settings, end}) => iterations.length === settings.T && end !== null

// Whether a run is far enough for an event of batch t.
export function reaches({iterations, end, settings}, {t, kind, k}) {
  if (iterations.length !== t || end) { return iterations.length >= t }
  if (hasOwnRegion(settings)) { return false } // what is said before a pick is of later ones
  return kind !== "observe" && iterations.at(-1).picks.length > k
}

// SHA-256 of what was chosen and measured: see ucbpe_core.Trace.digest.
export function digest({initial, iterations, y, p, measured}) {
  const integers = [initial, iterations.length, iterations[0].picks.length, ...p.indices]
  if (measured) { integers.push(...iterations.flatMap(({picks}) => picks.map(({index}) => index))) }
  const floats = [...y, ...iterations.map((one) => one.beta)]
  const view = new DataView(new ArrayBuffer(8 * (integers.length + floats.length)))
  integers.forEach((one, i) => view.setBigInt64(8 * i, BigInt(one), true))
  floats.forEach((one, i) => view.setFloat64(8 * (integers.length + i), one, true))
  return sha256(new Uint8Array(view.buffer))
}

// r_t^K, the least regret of all that was measured so far, R_T^K and R_TK, an array each; and the regret of
// the best initial point.
export function regrets({problem: {values, sign}, initial, iterations, p}) {
  const [lowest, highest] = extent(values)
  const optimum = sign > 0 ? highest : -lowest
  const first = Array.from(p.indices.slice(0, initial), (i) => optimum - sign * values[i])
  const start = first.length ? Math.min(...first) : null
  const sums = {start, simple: [], running: [], batch: [], full: []}
  let [least, ofBest, ofAll] = [start ?? Infinity, 0, 0]
  for (const {picks} of iterations) {
    const each = picks.map(({index}) => optimum - sign * values[index])
    const simple = Math.min(...each)
    least = Math.min(least, simple)
    ofBest += simple
    ofAll += each.reduce((total, one) => total + one, 0)
    sums.simple.push(simple)
    sums.running.push(least)
    sums.batch.push(ofBest)
    sums.full.push(ofAll)
  }
  return sums
}
