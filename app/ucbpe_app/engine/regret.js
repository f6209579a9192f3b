// The regret charts: ucbpe_app.pictures.regret, event by event.

import {atLeast, fill, general, number} from "./words.js"

const SUPERSCRIPTS = {"-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].entries())}

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
function ticksOf(low, high, most) {
  const every = Math.ceil((high - low) / most)
  const mantissas = high - low < 2 ? [1, 2, 5] : [1]
  const ticks = []
  for (let decade = Math.floor(low); decade <= Math.ceil(high); decade++) {
    if (decade % every === 0) { ticks.push(...mantissas.map((m) => m * Number(`1e${decade}`))) }
  }
  return ticks.filter((tick) => low <= Math.log10(tick) && Math.log10(tick) <= high)
}

const CURVES = {simple: ["simple", "running"], cumulative: ["batch", "full"]}

const until = (values, done) => values.slice(0, done)
const batches = (values) => values.map((_, i) => i + 1)

// A chart whose axis holds `own`, and the curves of the run `behind`, null if there can be one but is
// none; it reaches up to `bounds`.
function createChart(name, own, {scene, lexicon, layers, behind}, bounds = []) {
  const secret = layers.secret && name === "simple"
  const isLog = layers.log && !secret
  const pinned = behind && !secret ? CURVES[name].map((curve) => behind.regrets[curve]) : []
  const all = [...own, ...pinned].flat()
  const {low, zeros, ...axis} = logAxis(all)
  const {margin, ...geometry} = lexicon.geometry
  const [zero, top] = [low - geometry.below, Math.max(...all, ...bounds.flat())]
  const high = top > 0 ? Math.max(axis.high, Math.log10(top)) : axis.high
  const bottom = secret ? Math.min(...all) : 0
  const place = (values) => (isLog
    ? values.map((one) => Math.log10(Math.max(one, 10 ** zero))) : values)
  const say = (text, values = {}) => fill(lexicon.texts[`label.${text}`], values)

  function range() {
    if (!isLog) {
      const length = (top - bottom) || 1
      return {start: bottom - geometry.foot * length, end: bottom + (1 + geometry.head) * length}
    }
    return {start: (zeros ? zero : low) - margin, end: high + margin}
  }

  function load(out) {
    const from = name === "simple" && scene.regrets.start !== null ? -0.5 : 0.5
    out.range(`${name}.x_range`, {start: from, end: scene.batches + 0.5})
    out.range(`${name}.y_range`, range())
    if (!layers.log) { return }
    const ticks = isLog ? ticksOf(low - margin, high + margin, geometry.most_decades) : []
    const labels = isLog ? ticks.map((tick) => [Math.log10(tick), tickLabel(tick)])
      : [bottom, top].map((at) => [at, number(at)])
    if (isLog && zeros) { labels.unshift([zero, "0"]) }
    out.model(`${name}.y_ticks`, {ticks: labels.map(([at]) => at)})
    out.model(`${name}.y_axis`, {major_label_overrides: new Map(labels)})
  }

  function curve(role, values, out, dots = false) {
    const columns = {x: batches(values), y: place(values)}
    out.source(`${name}.${role}`, columns)
    if (dots) { out.source(`${name}.${role}_dots`, columns) }
  }

  // The name of a curve, at its end.
  const end = (role, values, text) => (text && values.length
    ? [{text, role, place: "tip", x: values.length, y: place(values.slice(-1))[0]}] : [])

  // The curves of the run behind, as one line that NaN breaks, and its name.
  function other(out) {
    if (behind === undefined) { return [] }
    const parts = (of) => pinned.flatMap((values) => [...of(values), NaN])
    out.source(`${name}.pinned`, {x: parts(batches), y: parts(place)})
    return pinned.length ? end("pinned", pinned[0], behind.label) : []
  }

  function now({event: {t}}, out) {
    out.source(`${name}.now`, {left: [t - 0.5], right: [t + 0.5]})
    const {start, end: highest} = range()
    return {text: say("now"), place: "inside", x: t, y: start + geometry.now[name] * (highest - start)}
  }

  return {curve, end, load, now, other, place, say}
}

// Where f is secret: the best result so far, on an axis from that at the start to the end of the bands.
function createResults(about) {
  const {scene} = about
  const first = scene.results.length - scene.batches
  const started = scene.results.slice(0, first)
  const further = started.length ? [scene.values[scene.sign > 0 ? 1 : 0]] : scene.values
  const {curve, end, load, now, place, say} = createChart("simple", [[...started, ...further]], about)

  function update(frame, out) {
    const best = scene.results.slice(first).slice(0, frame.done)
    const way = [...started, ...started.length ? best.slice(0, 1) : []]
    out.source("simple.lead", {x: way.map((_, i) => i), y: place(way)})
    out.source("simple.start", {x: started.map(() => 0), y: place(started)})
    curve("running", best, out)
    out.labels("simple", [
      ...end("running", best, best.length ? say("result_so_far", {result: number(best.at(-1))}) : ""),
      now(frame, out),
      ...started.map((one) => (
        {text: frame.done ? number(one) : say("result_at_start", {result: number(one)}), role: "start", place: "tip", x: 0, y: place([one])[0]})),
    ])
  }

  return {load, update}
}

function createSimple(about) {
  const {simple, running, start} = about.scene.regrets
  const started = start === null ? [] : [start]
  const {optimum, sign, truth} = about.scene
  const found = about.layers.stop ? about.scene.certificates : []
  const bounds = found.map(({regret}) => regret)
  const certified = found.map(({index}) => sign * (optimum - truth[index]))
  const {curve, end, load, now, other, place, say} = createChart(
    "simple", [simple, running, bounds, certified, started], about)

  function update(frame, out) {
    const {done} = frame
    const [each, best] = [until(simple, done), until(running, done)]
    const [last, regret] = [each, best].map((curve) => (done ? number(curve.at(-1)) : ""))
    const way = place([...started, ...each.slice(0, started.length)])
    out.source("simple.lead", {x: started.length ? way.map((_, i) => i) : [], y: way})
    out.source("simple.start", {x: started.map(() => 0), y: place(started)})
    const stop = [["stop", until(bounds, frame.event.t)], ["stop_true", until(certified, frame.event.t)]]
    for (const [role, values] of stop) { curve(role, values, out) }
    curve("running", best, out)
    curve("regret", each, out, true)
    const facts = ([value]) => ({bound: atLeast(value, -1), regret: number(value)})
    out.labels("simple", [
      ...stop.flatMap(([role, values]) => end(role, values, say(role, facts(values.slice(-1))))),
      ...end("running", best, done === 1 && last === regret ? "" : say("so_far", {regret})),
      ...end("regret", each, done === 1 ? say("first_batch", {regret: last}) : say("each_batch")),
      now(frame, out),
      ...other(out),
      ...started.map((one) => (
        {text: done ? number(one) : say("best_at_start", {regret: number(one)}), role: "start", place: "tip", x: 0, y: place([one])[0]})),
    ])
  }

  return {load, update}
}

function createCumulative(about) {
  const {batch, full} = about.scene.regrets
  const bounds = Object.entries(about.layers.bounds && about.scene.bounds || {})
    .sort(([, one], [, other]) => other.at(-1) - one.at(-1))
  const {curve, end, load, now, other, say} = createChart(
    "cumulative", [batch, full], about, bounds.map(([, values]) => values))

  function update(frame, out) {
    const [best, every] = [until(batch, frame.done), until(full, frame.done)]
    const named = (text, values) => (
      values.length ? say(text, {regret: number(values.at(-1))}) : "")
    curve("every", every, out, true)
    curve("regret", best, out, true)
    for (const [role, values] of bounds) { curve(role, values, out) }
    out.labels("cumulative", [
      ...end("every", every, named("sum_every", every)),
      ...end("regret", best, named("sum_best", best)),
      ...bounds.flatMap(([role, values]) => end(role, values, say(role, {bound: number(values.at(-1))}))),
      now(frame, out),
      ...other(out),
    ])
  }

  return {load, update}
}

export function createRegret({scene}, lexicon, layers, behind) {
  const about = {scene, lexicon, layers, behind}
  const charts = [layers.secret ? createResults : createSimple, createCumulative].map((make) => make(about))
  return {
    load: (out) => { for (const one of charts) { one.load(out) } },
    update: (frame, out) => {
      for (const one of charts) { one.update(frame, out) }
      out.html("simple.title", lexicon.titles[Number(Boolean(layers.secret))])
      out.html("cumulative.column", !layers.secret)
    },
  }
}
