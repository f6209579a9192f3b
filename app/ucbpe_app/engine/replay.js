// A run as events and frames: ucbpe_app.run.replay, for a run of run.js. Of one that is not whole,
// frames are there as far as it goes.

import {extent, largest} from "./arrays.js"
import {boundsOf} from "./bounds.js"
import {batchSize, exploredAt, hasOwnRegion, usesRegion} from "./policies.js"
import {takeSquares} from "./posterior.js"
import {regrets} from "./run.js"

// The extent of several extents together.
const widest = (extents) => [Math.min(...extents.map(([low]) => low)),
  Math.max(...extents.map(([, high]) => high))]

// The events of a run of these settings: t from 1, kind, k, and the text of an address.
function eventsOf(settings) {
  const K = batchSize(settings)
  const picks = Array.from({length: K}, (_, k) => ({kind: "pick", k}))
  if ((usesRegion(settings) || hasOwnRegion(settings)) && K > 1) { picks.splice(1, 0, {kind: "region", k: 0}) }
  const batch = [{kind: "posterior", k: 0}, ...picks, {kind: "observe", k: 0}]
  return Array.from({length: settings.T}, (_, i) => batch.map(({kind, k}) => (
    {t: i + 1, kind, k, text: `${i + 1}.${kind}${kind === "pick" ? `.${k}` : ""}`}))).flat()
}

// Index of the event like `wanted`, or of the last one before it: see `closest` in Python.
export function closest(events, wanted) {
  const t = Math.min(wanted.t, events.at(-1).t)
  const batch = events.flatMap((event, i) => (event.t === t ? [i] : []))
  if (wanted.t > t) { return batch.at(-1) }
  const alike = batch.filter((i) => events[i].kind === wanted.kind)
  const earlier = alike.filter((i) => events[i].k <= wanted.k)
  return (earlier.length ? earlier : alike.length ? alike.slice(0, 1) : batch.slice(0, 1)).at(-1)
}

export function createReplay(run) {
  const {problem, settings, iterations, p, y} = run
  const {sign, columns, values} = problem
  const events = eventsOf(settings)
  const perBatch = events.length / settings.T
  // Before each batch, with its band; and at the end, as far as the run goes.
  const moments = iterations.map(({start, sqrtBeta}) => ({...start, sqrtBeta}))
  const holdData = Boolean(run.measured)
  if (run.end) { moments.push({...run.end, sqrtBeta: iterations.at(-1).sqrtBeta}) }

  function shown({mean, std}, sqrtBeta) {
    const [own, lower, upper] = [0, 1, 2].map(() => new Float64Array(mean.length))
    for (let i = 0; i < mean.length; i++) {
      const half = sqrtBeta * std[i]
      own[i] = sign * mean[i]
      lower[i] = own[i] - half
      upper[i] = own[i] + half
    }
    return {mean: own, std, lower, upper}
  }

  // Lowest and highest of mean ± c std.
  function reach({mean, std}, c) {
    let [low, high] = [Infinity, -Infinity]
    for (let i = 0; i < mean.length; i++) {
      const own = sign * mean[i]
      const half = c * std[i]
      if (own - half < low) { low = own - half }
      if (own + half > high) { high = own + half }
    }
    return [low, high]
  }

  // What the band proves of the point with the greatest lower bound: ucbpe_core.gp.region.certificate.
  function certificate({start: {mean, std}, sqrtBeta}) {
    let [index, least, top] = [0, -Infinity, -Infinity]
    for (let i = 0; i < mean.length; i++) {
      const half = sqrtBeta * std[i]
      if (mean[i] - half > least) { [index, least] = [i, mean[i] - half] }
      top = Math.max(top, mean[i] + half)
    }
    return {index, bound: sign * least, extreme: sign * top, regret: top - least}
  }

  // std(k) with `made` picks of a batch hallucinated, and std(k - 1) if there is one.
  function stds({start, n, rows}, made) {
    if (made === 0) { return [start.std, null] }
    const difference = start.difference.slice()
    let before = start.std
    for (let k = 0; k < made; k++) {
      if (k === made - 1 && k > 0) { before = p.std(new Float64Array(p.size), difference) }
      takeSquares(difference, rows ? rows[k] : p.rows[n + k])
    }
    return [p.std(new Float64Array(p.size), difference), before]
  }

  // Lowest and highest of what batch t draws.
  function limits(t) {
    const {sqrtBeta} = iterations[t - 1]
    const [before, after = before] = moments.slice(t - 1, t + 1)
    return widest([reach(before, before.sqrtBeta), reach(after, sqrtBeta), extent(values),
      extent(y.slice(0, after.n))])
  }

  // The best result so far, at the start if there is one, and after each batch.
  function results() {
    const ends = moments.map(({n}) => n).filter((n) => n)
    return ends.map((n) => sign * Math.max(...Array.from(y.slice(0, n), (one) => sign * one)))
  }

  const [lowest, highest] = extent(values)
  const scene = {
    ...problem,
    optimum: sign > 0 ? highest : lowest,
    size: values.length,
    batches: settings.T,
    batchSize: batchSize(settings),
    noiseVariance: settings.noise_variance,
    roles: [...new Set(iterations.flatMap(({roles}) => roles))],
    usesRegion: usesRegion(settings) && batchSize(settings) > 1,
    ownRegion: hasOwnRegion(settings),
    means: widest([[lowest, highest], ...moments.map((one) => reach(one, 0))]),
    values: widest(moments.map((one) => reach(one, one.sqrtBeta))),
    truth: values,
    largestStd: largest(moments[0].std),
    holdData,
    regrets: regrets(run.measured ?? run),
    results: results(),
    // As a layer alone needs them.
    get certificates() { return iterations.map(certificate) },
    get bounds() { return run.measured ? null : boundsOf(run) },
  }

  // Of the candidates among which a batch chooses by it.
  function largestStd(std, {regionPlus}) {
    return largest(scene.usesRegion ? std.filter((_, i) => regionPlus[i]) : std)
  }

  function picksMade({kind, k}) {
    return {posterior: 0, pick: k + 1, region: 1, observe: batchSize(settings)}[kind]
  }

  function marks(event, {picks}) {
    return picks.slice(0, picksMade(event)).map(({index, role, std}, k) => ({
      index, role, std, number: k, x: columns.map((column) => column[index]),
      current: event.kind === "pick" && k === event.k,
    }))
  }

  function frame(i) {
    const event = events[i]
    const decision = iterations[event.t - 1]
    const observing = event.kind === "observe"
    const now = shown(moments[observing ? event.t : event.t - 1], decision.sqrtBeta)
    const last = holdData ? 0 : decision.picks.length - 1
    const counted = {pick: event.k, observe: last}[event.kind] ?? 0
    let [stdNow, stdBefore] = stds(decision, counted)
    if (observing) { [stdNow, stdBefore] = [now.std, stdNow] }
    const visible = usesRegion(settings)
      && (event.kind === "region" || (event.kind === "pick" && event.k > 0))
    const explored = exploredAt(decision, event)
    const n = observing ? moments[event.t].n : decision.n
    const done = observing ? event.t : event.t - 1
    const known = run.initial + done * decision.picks.length
    return {
      event, decision, index: i, total: events.length,
      ...now, stdNow, stdBefore,
      yDot: visible ? decision.yDot : null,
      region: visible ? decision.region : null,
      regionPlus: visible ? decision.regionPlus : null,
      explored, inside: explored?.mask ?? (visible ? decision.regionPlus : null),
      // R+ of GP-UCB-PE, to compare with the policy's own region.
      compared: explored ? {yDot: decision.yDot, regionPlus: decision.regionPlus} : null,
      picks: holdData && observing ? [] : marks(event, decision),
      observed: p.indices.slice(0, n),
      observedY: y.slice(0, n),
      fresh: n - decision.n,
      changed: (run.all ?? []).slice(0, known).filter((one) => one.y !== one.own),
      beta: decision.beta, sqrtBeta: decision.sqrtBeta, betaNext: decision.betaNext,
      get certificate() { return observing ? null : certificate(decision) },
      get values() { return limits(event.t) }, // a curve alone asks for them
      largestStd: largestStd(moments[event.t - 1].std, decision),
      done,
    }
  }

  const starts = iterations.map((_, i) => i * perBatch)
  const batch = (t) => events.slice((t - 1) * perBatch, t * perBatch)
  return {run, events, starts, scene, frame, batch}
}
