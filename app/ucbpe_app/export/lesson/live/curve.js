// The sources of the 1-D view: ucbpe_app.figures.curve, event by event.

import {badges} from "./badges.js"
import {listed} from "./legends.js"
import {number} from "./words.js"

const X_PAD = 0.02
const Y_PAD = 0.06
const STD_PAD = 0.12
const NOWHERE = -1e12
const SIZES = {ucb: [15, 21], pe: [13, 18], other: [11, 15]} // earlier, current

function padded([low, high], share) {
  const pad = share * (high - low) || 1
  return [low - pad, high + pad]
}

// Where each sorted candidate ends and the next begins.
function cellEdges(x) {
  if (x.length === 1) { return [x[0] - 0.5, x[0] + 0.5] }
  const middle = Array.from(x.slice(1), (one, i) => (x[i] + one) / 2)
  return [2 * x[0] - middle[0], ...middle, 2 * x.at(-1) - middle.at(-1)]
}

function intervals(edges, mask) {
  const [left, right] = [[], []]
  mask.forEach((inside, i) => {
    if (inside && !mask[i - 1]) { left.push(edges[i]) }
    if (inside && !mask[i + 1]) { right.push(edges[i + 1]) }
  })
  return {left, right}
}

export function createCurve({scene}, lexicon, layers) {
  const [x] = scene.columns
  const order = Array.from(x.keys()).sort((i, j) => x[i] - x[j] || i - j)
  const sorted = (values) => Float64Array.from(order, (i) => values[i])
  const xs = sorted(x)
  const edges = cellEdges(xs)
  const span = padded([edges[0], edges.at(-1)], X_PAD)
  const family = ({role}) => lexicon.roles[role].family
  const updated = (frame) => frame.stdBefore !== null && frame.event.kind !== "observe"

  function height(frame, pick) {
    if (frame.event.kind === "observe") { return NaN }
    const mean = frame.mean[pick.index]
    return family(pick) === "ucb" ? mean + frame.sqrtBeta * pick.std : mean
  }

  function load(out) {
    out.classes("curve", scene.usesRegion ? ["lab-curve"] : ["lab-curve", "lab-no-region"])
  }

  function bands(frame, out) {
    const {mean, lower, upper, std, stdNow, sqrtBeta} = frame
    out.source("posterior", {x: xs, mean: sorted(mean), lower: sorted(lower), upper: sorted(upper)})
    const around = (half) => ({x: xs, lower: sorted(mean.map((one, i) => one - half(i))),
      upper: sorted(mean.map((one, i) => one + half(i)))})
    const none = {x: [], lower: [], upper: []}
    const noisy = (i) => sqrtBeta * Math.sqrt(std[i] ** 2 + scene.noiseVariance)
    out.source("noisy", layers.noisy ? around(noisy) : none)
    out.source("updated", updated(frame) ? around((i) => sqrtBeta * stdNow[i]) : none)
  }

  function regions(frame, out) {
    for (const [name, mask] of [["region", frame.region], ["region_plus", frame.regionPlus]]) {
      out.source(name, mask ? intervals(edges, order.map((i) => mask[i])) : {left: [], right: []})
    }
  }

  function deviation({stdNow, stdBefore, regionPlus}, out) {
    const outside = stdNow.map((one, i) => (regionPlus === null || regionPlus[i] ? one : NaN))
    const before = stdBefore ?? new Float64Array(stdNow.length).fill(NaN)
    out.source("std", {x: xs, now: sorted(stdNow), inside: sorted(outside), before: sorted(before)})
  }

  function ranges(frame, out) {
    const margin = frame.sqrtBeta * Math.sqrt(layers.noisy ? scene.noiseVariance : 0)
    const [low, high] = frame.values
    const range = padded([low - margin, high + margin], Y_PAD)
    const largest = frame.largestStd || 1
    out.model("main.y_range", {start: range[0], end: range[1]})
    out.model("std.y_range", {start: -STD_PAD / 2 * largest, end: (1 + STD_PAD) * largest})
    return range
  }

  function points(frame, out, range) {
    const old = frame.observed.length - frame.fresh
    const places = frame.observed.map((i) => x[i])
    out.source("data", {x: places.slice(0, old), y: frame.observedY.slice(0, old)})
    out.source("fresh", {x: places.slice(old), y: frame.observedY.slice(old)})
    for (const name of ["ucb", "pe", "other"]) {
      const picks = frame.picks.filter((pick) => family(pick) === name)
      out.source(name, {
        x: picks.map((pick) => pick.x[0]),
        y: picks.map((pick) => height(frame, pick)),
        std: picks.map((pick) => pick.std),
        size: picks.map((pick) => SIZES[name][Number(pick.current)]),
        alpha: picks.map((pick) => Number(pick.current)),
      })
    }
    const tagged = frame.picks.map((pick, k) => ({
      ...pick, family: family(pick), color: lexicon.roles[pick.role].color,
      y: frame.fresh ? frame.observedY[old + k] : height(frame, pick),
    }))
    out.source("badges", badges(tagged, span, range))
    out.source("guide", {x: frame.picks.filter((pick) => pick.current).map((pick) => pick.x[0])})
    const ends = frame.yDot === null ? [] : span
    out.source("y_dot", {x: ends, y: ends.map(() => frame.yDot)})
    out.model("y_dot.label", {y: frame.yDot ?? NOWHERE})
  }

  function legends(frame, out) {
    const {curve} = lexicon.legends
    const multiplier = number(frame.sqrtBeta)
    const names = (name) => [...new Set(frame.picks.filter((pick) => family(pick) === name)
      .map(({role}) => lexicon.roles[role].name))].join(", ") || null
    const labels = {
      mean: "",
      band: `band: mean ± ${multiplier} std (β = ${number(frame.beta)})`,
      updated: updated(frame) ? `updated bounds: ± ${multiplier} std now` : null,
      noisy: layers.noisy ? `band of a measurement: ± ${multiplier} √(std² + noise)` : null,
      truth: layers.truth ? "" : null,
      data: frame.observed.length > frame.fresh ? "" : null,
      fresh: frame.fresh ? "" : null,
      ucb: names("ucb"), pe: names("pe"), other: names("other"),
      pinned: layers.pinned || null,
      y_dot: frame.yDot === null ? null : curve.y_dot,
    }
    out.html("curve.legend", listed(lexicon, curve.posterior, labels, curve.reserved))
    const {regionPlus, stdBefore} = frame
    const faded = regionPlus !== null && !regionPlus.every((one) => one)
    const std = {now: "", faded: faded ? "" : null, before: stdBefore === null ? null : ""}
    out.html("std.legend", listed(lexicon, curve.std, std))
  }

  function update(frame, out) {
    const range = ranges(frame, out)
    bands(frame, out)
    regions(frame, out)
    deviation(frame, out)
    points(frame, out, range)
    legends(frame, out)
  }

  return {load, update}
}
