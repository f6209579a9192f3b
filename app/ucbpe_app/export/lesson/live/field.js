// The 2-D view: ucbpe_app.figures.field, event by event.

import {axesOf, extent, largest} from "./arrays.js"
import {all} from "./legends.js"
import {shapesAndNumbers} from "./marks.js"
import {edges, outline} from "./outline.js"
import {stepped} from "./scales.js"
import {number, percentage} from "./words.js"

const MARGIN = 0.05
const [DARK, LIGHT] = ["#000000", "#FFFFFF"]
const [DATA_SIZE, FRESH_SIZE] = [6, 10]
const EMPTY = {
  lines: {xs: [], ys: [], dash: [], color: [], width: []},
  veil: {image: [], x: [], y: [], dw: [], dh: []},
  faded: {x: [], y: [], size: []},
}

const every = (mask) => mask.every((one) => one)

export function createField({scene}, lexicon) {
  const {columns: [first, second], grid, sign} = scene
  const [nx, ny] = grid
  const [columns, rows] = grid.length ? axesOf([first, second], grid) : [[], []]
  const box = grid.length ? [...edges(columns), ...edges(rows)] : null
  const across = wider(edges(grid.length ? columns : [...new Set(first)].sort((a, b) => a - b)))

  function wider([low, high]) {
    const margin = MARGIN * (high - low)
    return [low - margin, high + margin]
  }

  // Values over the grid as Bokeh's image has them: its rows are those of y.
  function turned(values, kind) {
    const image = new kind(values.length)
    for (let i = 0; i < nx; i++) {
      for (let j = 0; j < ny; j++) { image[j * nx + i] = values[i * ny + j] }
    }
    return image
  }

  function draw(name, values, out) {
    if (grid.length) {
      out.image(`${name}.image`, "value", turned(values, Float32Array), [ny, nx], box)
    } else {
      out.source(`${name}.dots`, {x: first, y: second, value: values})
    }
  }

  function limits(frame) {
    const [low, high] = scene.means
    let [bottom, top] = scene.values
    const deviation = stepped(scene.largestStd, largest(frame.std))
    top = high + stepped(top - high, largest(frame.upper) - high)
    const bound = sign > 0 ? [low, top] : [bottom, high]
    return {truth: extent(scene.truth), mean: [low, high], std: [0, deviation], upper: bound}
  }

  function regions(frame, out) {
    const {region, regionPlus, mean, std, yDot, sqrtBeta, betaNext} = frame
    const drawn = {...EMPTY}
    if (regionPlus !== null && grid.length) {
      const around = (mask, c) => {
        const margin = new Float64Array(mask.length)
        for (let i = 0; i < margin.length; i++) { margin[i] = sign * (mean[i] - yDot) + c * std[i] }
        return outline(mask, margin, columns, rows)
      }
      const found = [[around(regionPlus, 2 * Math.sqrt(betaNext)), "solid"],
        [around(region, sqrtBeta), "dashed"]].filter(([line]) => line !== null)
      const lines = found.map(([line]) => line)
      const twice = (casing, own) => [...found.map(() => casing), ...found.map(own)]
      drawn.lines = {
        xs: [...lines, ...lines].map(({x}) => x), ys: [...lines, ...lines].map(({y}) => y),
        dash: twice("solid", ([, dash]) => dash), color: twice(DARK, () => LIGHT),
        width: twice(4, () => 1.8),
      }
      out.image("veil", "image", turned(regionPlus, Uint8Array), [ny, nx], box)
    } else if (regionPlus !== null) {
      const outside = Array.from(first.keys()).filter((i) => !regionPlus[i])
      const size = Math.min(Math.max(240 / Math.sqrt(scene.size), 4), 14) + 1
      drawn.faded = {x: outside.map((i) => first[i]), y: outside.map((i) => second[i]),
        size: outside.map(() => size)}
    }
    out.source("lines", drawn.lines)
    out.source("faded", drawn.faded)
    if (regionPlus === null || !grid.length) { out.source("veil", drawn.veil) }
  }

  function data({observed, fresh}, out) {
    const n = observed.length
    const size = observed.map((_, i) => (i < n - fresh ? DATA_SIZE : FRESH_SIZE))
    const twice = (values) => [...values, ...values]
    out.source("field.data", {
      x: twice(observed.map((i) => first[i])), y: twice(observed.map((i) => second[i])),
      size: twice(size), line: [...observed.map(() => DARK), ...observed.map(() => LIGHT)],
      width: [...observed.map(() => 2.8), ...observed.map(() => 1.4)],
    })
  }

  function regionWords({region, regionPlus}) {
    if (region === null) { return "" }
    if (every(region)) { return "R⁺ = R = X: nothing is ruled out yet." }
    const inner = percentage(region)
    if (every(regionPlus)) { return `R⁺ = X: nothing is ruled out yet. R is ${inner} of X.` }
    return `R⁺ is ${percentage(regionPlus)} of X, R is ${inner}. Outside R⁺ is faded.`
  }

  function words(frame, out) {
    const {event: {kind, k}, sqrtBeta, beta} = frame
    const given = kind === "pick" ? k : 0
    const std = given ? `Std σ given ${given} pick${given === 1 ? "" : "s"}` : "Std σ"
    const bound = sign > 0 ? "Bound μ +" : "Bound μ −"
    out.model("std.title", {text: std})
    out.model("upper.title", {text: `${bound} ${number(sqrtBeta)} σ`})
    const band = `Band: mean ± ${number(sqrtBeta)} std (β = ${number(beta)}).`
    const note = `${band} ${regionWords(frame)}`.trimEnd()
    out.html("field.note", `<section aria-label="Relevant region">${note}</section>`)
  }

  function load(out) {
    const {field} = lexicon.legends
    const looks = new Map()
    for (const role of scene.roles) {
      const {swatch, name} = lexicon.roles[role]
      looks.set(swatch, [...looks.get(swatch) ?? [], name])
    }
    const roles = [...looks].map(([swatch, names]) => [swatch, names.join(", ")])
    const outlined = grid.length > 0 && scene.usesRegion
    out.html("field.legend", all(lexicon, [...roles, field.data, ...outlined ? field.lines : []]))
  }

  function bound({mean, stdNow, sqrtBeta}) {
    const values = new Float64Array(mean.length)
    for (let i = 0; i < values.length; i++) { values[i] = mean[i] + sign * sqrtBeta * stdNow[i] }
    return values
  }

  function update(frame, out) {
    draw("mean", frame.mean, out)
    draw("std", frame.stdNow, out)
    draw("upper", bound(frame), out)
    for (const [name, [low, high]] of Object.entries(limits(frame))) {
      out.model(`${name}.mapper`, {low, high: high > low ? high : low + 1})
    }
    regions(frame, out)
    data(frame, out)
    words(frame, out)
    const places = frame.picks.map(({x}) => [x[0], x[1]])
    shapesAndNumbers(lexicon, frame.picks, places, across, true, "field", out)
  }

  return {load, update}
}
