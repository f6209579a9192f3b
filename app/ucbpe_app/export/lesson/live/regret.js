// The regret charts: ucbpe_app.figures.regret, event by event.

import {general} from "./words.js"

const [BELOW, MARGIN, MOST_TICKS] = [0.5, 0.15, 5]
const SUPERSCRIPTS = {"-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].entries())}
const CHARTS = {simple: ["simple", "running"], cumulative: ["batch", "full"]}

// A log axis with a place for zero, half a decade below the least value above it.
function logAxis(values) {
  const positive = values.filter((one) => one > 0)
  if (!positive.length) { return {low: 0, high: 1, zeros: true} }
  const low = Math.log10(Math.min(...positive))
  const high = Math.max(Math.log10(Math.max(...positive)), low + 1)
  return {low, high, zeros: positive.length < values.length}
}

function tickLabel(tick) {
  if (tick >= 1e-3 && tick < 1e4) { return general(tick, 6) }
  const exponent = Math.floor(Math.log10(tick) + 1e-9)
  const mantissa = Math.round(tick / 10 ** exponent)
  const power = `10${[...String(exponent)].map((one) => SUPERSCRIPTS[one]).join("")}`
  return mantissa === 1 ? power : `${mantissa}·${power}`
}

// Decades, thinned out when there are many; 1, 2, 5 steps when there are few.
function ticksOf(low, high) {
  const every = Math.ceil((high - low) / MOST_TICKS)
  const mantissas = high - low < 2 ? [1, 2, 5] : [1]
  const ticks = []
  for (let decade = Math.floor(low); decade <= Math.ceil(high); decade++) {
    if (decade % every === 0) { ticks.push(...mantissas.map((m) => m * Number(`1e${decade}`))) }
  }
  return ticks.filter((tick) => low <= Math.log10(tick) && Math.log10(tick) <= high)
}

export function createRegret({scene}, lexicon, layers) {
  const T = scene.batches
  const axes = {}

  function place(name, values) {
    if (!layers.log) { return values }
    const zero = 10 ** (axes[name].low - BELOW)
    return values.map((one) => Math.log10(Math.max(one, zero)))
  }

  function columns(name, count) {
    const t = Array.from({length: count}, (_, i) => i + 1)
    const drawn = CHARTS[name].map((curve) => (
      [curve, place(name, scene.regrets[curve]).slice(0, count)]))
    return {t, ...Object.fromEntries(drawn)}
  }

  function reach(name, top, out) {
    if (!layers.log) {
      const length = top || 1
      out.model(`${name}.y_range`, {start: -0.05 * length, end: 1.06 * length})
      return
    }
    const {low, high: own, zeros} = axes[name]
    const high = top > 0 ? Math.max(own, Math.log10(top)) : own
    const zero = low - BELOW
    const ticks = ticksOf(low - MARGIN, high + MARGIN)
    const labels = ticks.map((tick) => [Math.log10(tick), tickLabel(tick)])
    if (zeros) { labels.unshift([zero, "0"]) }
    out.model(`${name}.ticks`, {ticks: labels.map(([at]) => at)})
    out.model(`${name}.axis`, {major_label_overrides: new Map(labels)})
    out.model(`${name}.y_range`, {start: (zeros ? zero : low) - MARGIN, end: high + MARGIN})
  }

  // Bounds are worked out by Python alone: another run has none.
  function load(out) {
    for (const name of Object.keys(CHARTS)) {
      const values = CHARTS[name].flatMap((curve) => scene.regrets[curve])
      axes[name] = logAxis(values)
      out.source(`${name}.ahead`, columns(name, T))
      reach(name, Math.max(...values) || 1, out)
      out.html(`${name}.heading`, lexicon.legends.regret[name])
    }
    out.source("cumulative.references", {
      t: columns("simple", T).t, printed: Array(T).fill(NaN), proved: Array(T).fill(NaN)})
  }

  function update({event, done}, out) {
    for (const name of Object.keys(CHARTS)) {
      out.source(`${name}.done`, columns(name, done))
      out.source(`${name}.now`, {t: [event.t]})
    }
  }

  return {load, update}
}
