// The picture of a run over one input, event by event: ucbpe_app.pictures.curve.

import {extent} from "./arrays.js"
import {drawsOf, linesOf} from "./draws.js"
import {pickLabels, picksAt} from "./marks.js"
import {atLeast, number, percentage, pickLabel, say} from "./words.js"

function padded([low, high], share) {
  const pad = share * (high - low) || 1
  return {start: low - pad, end: high + pad}
}

// Where each sorted candidate ends and the next begins.
function cellEdges(x) {
  if (x.length === 1) { return [x[0] - 0.5, x[0] + 0.5] }
  const middle = Array.from(x.slice(1), (one, i) => (x[i] + one) / 2)
  return [2 * x[0] - middle[0], ...middle, 2 * x.at(-1) - middle.at(-1)]
}

function intervals(edges, mask, [low, high]) {
  const [left, right] = [[], []]
  mask.forEach((inside, i) => {
    if (inside && !mask[i - 1]) { left.push(edges[i]) }
    if (inside && !mask[i + 1]) { right.push(edges[i + 1]) }
  })
  return {left, right, bottom: left.map(() => low), top: left.map(() => high)}
}

// Several curves over x as one line that NaN breaks.
function joined(x, ...curves) {
  if (curves.length === 1) { return {x, y: curves[0]} }
  const gaps = (parts) => parts.flatMap((part, i) => (i ? [NaN, ...part] : [...part]))
  return {x: gaps(curves.map(() => x)), y: gaps(curves)}
}

// The largest of 1, 2, 5, 10, 20, .. and their fractions that is not above it.
function roundBelow(most) {
  const decade = Math.floor(Math.log10(most))
  const steps = [-1, 0, 1].flatMap((i) => [1, 2, 5].map((first) => Number(`${first}e${decade + i}`)))
  return Math.max(...steps.filter((step) => step <= most))
}

export function createCurve({scene, run: {p}}, lexicon, layers) {
  const {geometry} = lexicon
  const strips = {region_plus: geometry.lower_strip, region: geometry.upper_strip}
  const [x] = scene.columns
  const order = Array.from(x.keys()).sort((i, j) => x[i] - x[j] || i - j)
  const sorted = (values) => Float64Array.from(order, (i) => values[i])
  const xs = sorted(x)
  const edges = cellEdges(xs)
  const across = padded([edges[0], edges.at(-1)], geometry.x_pad)
  const last = order.at(-1)
  const stripped = scene.usesRegion || scene.ownRegion
  const width = extent(x).reduce((low, high) => high - low)
  const message = (name, values) => say(lexicon.texts, name, values)
  const places = (picks) => picks.map((pick) => pick.x[0])
  const counted = ({event, picks}) => (
    event.kind === "pick" ? picks.filter(({current}) => !current) : picks)

  function heights(frame) {
    if (frame.fresh) { return frame.observedY.slice(frame.observed.length - frame.fresh) }
    return frame.picks.map(({index, role, std}) => (
      frame.mean[index] + (role === "ucb" ? scene.sign * frame.sqrtBeta * std : 0)))
  }

  // The axis of the std is one of square roots, and that of the run.
  function load(out) {
    const largest = scene.largestStd || 1
    const edge = Math.sqrt(largest)
    out.range("std.y_range", {start: -geometry.std_pad / 2 * edge, end: (1 + geometry.std_pad) * edge})
    const highest = roundBelow(largest)
    const labels = [0, roundBelow(highest / 4), highest].map((tick) => [Math.sqrt(tick), number(tick)])
    out.model("std.y_ticks", {ticks: labels.map(([at]) => at)})
    out.model("std.y_axis", {major_label_overrides: new Map(labels)})
    if (!stripped) { return }
    const [bottom, top] = [0, 1].map((i) => Object.values(strips).map((ends) => ends[i]))
    out.source("region.strip", {
      left: [edges[0], edges[0]], right: [edges.at(-1), edges.at(-1)], bottom, top,
    })
  }

  // Where a pick can be made.
  const within = ({inside}, i) => inside === null || Boolean(inside[i])

  // Arrays over the candidates, null where there is none: ucbpe_app.pictures.along.
  function arrays({mean, std, stdNow, stdBefore, sqrtBeta, event, ...frame}) {
    const inside = stdNow.map((one, i) => (within(frame, i) ? one : NaN))
    return {
      mean, std, std_now: stdNow, std_inside: inside, std_before: stdBefore,
      truth: layers.truth ? scene.truth : null,
      updated: stdBefore && event.kind !== "observe" ? inside.map((one) => sqrtBeta * one) : null,
      noisy: layers.noisy ? std.map((one) => sqrtBeta * Math.sqrt(one ** 2 + scene.noiseVariance)) : null,
    }
  }

  // Draws the lines; returns the names of those in the plot of f, where each line ends.
  function lines(frame, out) {
    const all = arrays(frame)
    const names = counted(frame).map(({number: k}) => pickLabel(k))
    const picks = names.length <= geometry.most_listed ? names.join(", ") : `${names[0]} … ${names.at(-1)}`
    const facts = {picks, multiplier: number(frame.sqrtBeta)}
    return lexicon.lines.flatMap(({plot, role, curves}) => {
      if (curves.some(([of, , spread]) => !all[of] || (spread && !all[spread]))) { return [] }
      const found = curves.map(([of, times, spread]) => (
        spread ? all[of].map((one, i) => one + times * all[spread][i]) : all[of]))
      const heights = plot === "std" ? found.map((values) => values.map(Math.sqrt)) : found
      const line = joined(xs, ...heights.map(sorted))
      out.source(`${plot}.${role}`, line)
      const y = plot === "function" ? line.y.findLast((one) => Number.isFinite(one)) : undefined
      return y === undefined ? [] : [{text: message(`label.${role}`, facts), role, place: "end", y}]
    })
  }

  function bands(frame, out) {
    const {mean, lower, upper} = frame
    // Where a part of the band is not, it has no height.
    const part = (values, inside) => sorted(values.map((one, i) => (
      within(frame, i) === inside ? one : mean[i])))
    const band = (inside) => ({x: xs, lower: part(lower, inside), upper: part(upper, inside)})
    out.source("function.band", band(true))
    if (frame.inside !== null) { out.source("function.band_outside", band(false)) }
  }

  function choices(frame, out) {
    const {observed, observedY, fresh, picks, yDot, changed} = frame
    const old = observed.length - fresh
    const measured = observed.map((i) => x[i])
    out.source("function.data", {
      x: measured, y: observedY, size: measured.map((_, i) => geometry.crosses[Number(i >= old)]),
    })
    out.source("function.as_measured", {
      x: changed.map(({index}) => x[index]), y: changed.map(({own}) => own),
    })
    out.source("function.fresh", {x: measured.slice(old), y: observedY.slice(old)})
    const observing = frame.event.kind === "observe"
    const ys = observing ? picks.map(() => NaN) : heights(frame)
    out.source("function.picks", picksAt(lexicon, picks, [places(picks), ys], "picks"))
    if (yDot !== null) { out.source("function.y_dot", {y: [yDot]}) }
    const found = layers.stop ? frame.certificate : null
    const [left, right] = geometry.bracket.map((share) => edges.at(-1) + share * (across.end - edges.at(-1)))
    if (found) {
      out.source("function.bracket", {
        x: [left, right, right, left], y: [found.bound, found.bound, found.extreme, found.extreme],
      })
    }
    const guide = {x: picks.filter(({current}) => current).map((pick) => pick.x[0])}
    const plots = ["function", ...stripped ? ["region"] : [], "std"]
    for (const name of plots) { out.source(`${name}.guide`, guide) }
  }

  function regions({event, region, inside, compared}, out) {
    const labels = []
    const upper = scene.ownRegion ? ["compared", compared?.regionPlus ?? null] : ["region", region]
    for (const [name, mask] of [upper, ["region_plus", inside]]) {
      const strip = strips[name] ?? strips.region
      if (mask) { out.source(`region.${name}`, intervals(edges, order.map((i) => mask[i]), strip)) }
      const text = mask ? message(`label.${name}`, {share: percentage(mask)})
        : message(`label.${name}.unknown`)
      labels.push({text, role: mask ? name : "", place: "end", y: (strip[0] + strip[1]) / 2})
    }
    // Once the results are in, there is none to wait for in this batch.
    out.labels("region", labels.filter(({text}) => text && event.kind !== "observe"))
  }

  function deviation(frame, out) {
    const {stdNow, stdBefore, picks} = frame
    const picked = [places(picks), picks.map(({index}) => Math.sqrt(stdNow[index]))]
    out.source("std.picks", picksAt(lexicon, picks, picked, "picks"))
    const taken = counted(frame)
    const parts = [
      ...stdBefore !== null && taken.length
        ? [message("label.before", {pick: pickLabel(taken.at(-1).number)})] : [],
      ...frame.inside !== null && !frame.inside.every((one) => one)
        ? [message(frame.explored ? "label.outside_own" : "label.outside")] : [],
    ]
    const title = message("label.std") + (parts.length ? ` (${parts.join("; ")})` : "")
    out.labels("std", [
      {text: title, place: "title"},
      {text: lexicon.inputs[0], place: "corner"},
      ...picks.filter(({current}) => current).map(({number: k, role, std, x: [at]}) => ({
        text: message(`label.std_of${role === "pe" ? ".pe" : ""}`, {pick: pickLabel(k), std: number(std)}),
        role: lexicon.roles[role].look, place: "point", x: at, y: Math.sqrt(std), strong: true,
      })),
    ])
  }

  function labelsOf(frame, ends) {
    const {mean, upper, sqrtBeta, yDot} = frame
    const found = layers.stop ? frame.certificate : null
    const end = (name, role, y, values = {}) => ({text: message(name, values), role, place: "end", y})
    const bound = scene.sign > 0 ? "label.y_dot" : "label.y_dot.minimize"
    return [
      {text: lexicon.output, place: "title"},
      end("label.band", "band", (mean[last] + upper[last]) / 2, {multiplier: number(sqrtBeta)}),
      ...ends,
      ...yDot === null ? [] : [end(bound, "y_dot", yDot, {y_dot: atLeast(yDot, scene.sign)})],
      ...found === null ? [] : [end("label.bracket", "bracket", (found.bound + found.extreme) / 2,
        {bound: atLeast(found.regret, -1)})],
    ]
  }

  function update(frame, out) {
    const margin = frame.sqrtBeta * Math.sqrt(layers.noisy ? scene.noiseVariance : 0)
    const drawn = layers.draws ? linesOf(drawsOf(p, frame), xs, sorted, lexicon.looks.draws) : null
    const [low, high] = extent([...frame.values, ...drawn?.ys.flatMap(extent) ?? []])
    out.range("function.y_range", padded([low - margin, high + margin], geometry.y_pad))
    if (drawn) { out.source("function.draws", drawn) }
    out.range("function.x_range", across)
    bands(frame, out)
    const ends = lines(frame, out)
    choices(frame, out)
    if (stripped) { regions(frame, out) }
    deviation(frame, out)
    const names = drawn ? [{text: message("label.draws"), role: "mean", place: "end", y: drawn.ys.at(-1).at(-1)}] : []
    out.labels("function", [...labelsOf(frame, ends), ...names, ...pickLabels(lexicon, frame.picks, heights(frame), [width])])
  }

  return {load, update}
}
