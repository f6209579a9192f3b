// The picture of a run over two inputs, event by event: ucbpe_app.pictures.field.

import {axesOf, extent, largest, sizeOf} from "./arrays.js"
import {drawOver} from "./draws.js"
import {numbers as numbered, pickLabels, picksAt} from "./marks.js"
import {MAP, stepped} from "./scales.js"
import {atLeast, earlierPicks, number, percentage, pickLabel, say} from "./words.js"

// Where a row of cells centred on regular coordinates begins and ends.
function edges(coordinates) {
  const n = coordinates.length
  const half = (coordinates[n - 1] - coordinates[0]) / Math.max(n - 1, 1) / 2 || 0.5
  return [coordinates[0] - half, coordinates[n - 1] + half]
}

export function createField({scene, run: {p}}, lexicon, layers) {
  const {columns: [first, second], grid, sign, size} = scene
  const {geometry, maps: {order, slots, maximised}} = lexicon
  const maps = order.filter((name) => name !== "truth" || layers.truth)
  const [nx, ny] = grid
  const [columns, rows] = grid.length ? axesOf([first, second], grid) : [[], []]
  const box = grid.length ? [...edges(columns), ...edges(rows)] : null
  const [low, high] = edges(grid.length ? columns : [...new Set(first)].sort((a, b) => a - b))
  const [bottom, top] = edges(grid.length ? rows : [...new Set(second)].sort((a, b) => a - b))
  const pad = geometry.map_pad * (high - low)
  const [rise, across] = [geometry.map_pad * (top - bottom), [low - pad, high + pad]]
  const extents = [first, second].map(extent).map(([least, most]) => most - least)
  const [least, most] = geometry.dot
  const dot = Math.min(Math.max(geometry.row_of_dots / Math.sqrt(size), least), most)
  const message = (name, values) => say(lexicon.texts, name, values)

  // Values over the grid as Bokeh's image has them: its rows are those of y.
  function turned(values, kind) {
    const image = new kind(values.length)
    for (let i = 0; i < nx; i++) {
      for (let j = 0; j < ny; j++) { image[j * nx + i] = values[i * ny + j] }
    }
    return image
  }

  // The map that an event is about.
  function about({event: {kind}, picks}) {
    if (kind === "region") { return "upper" }
    const current = picks.find((pick) => pick.current)
    return current ? maximised[current.role] ?? "mean" : "mean"
  }

  // The large one first; the map that the event is about takes its place.
  function arranged(frame) {
    const own = about(frame)
    const all = [own, ...maps.filter((name) => name !== own)]
    const place = Math.max(0, all.indexOf(layers.featured))
    const large = all[place]
    all[place] = own
    return [large, ...all.slice(1)]
  }

  // One draw in the place of the large map, unless a person chose that.
  const isDrawn = layers.draws && layers.featured !== MAP && grid.length > 0

  let drawn = null // of so many measurements: of a rough kernel it takes long

  function draw(frame, out) {
    const n = frame.observed.length
    if (drawn?.n !== n) { drawn = {n, values: drawOver(p, frame, [columns, rows])} }
    out.image("map.draw", "image", turned(drawn.values, Float32Array), [ny, nx], box)
    out.model("map.colors", colors("mean", frame))
  }

  function valuesOf(name, {mean, stdNow, sqrtBeta}) {
    return {
      truth: () => scene.truth, mean: () => mean, std: () => stdNow,
      upper: () => mean.map((one, i) => one + sign * sqrtBeta * stdNow[i]),
    }[name]()
  }

  function veil(plot, name, regionPlus, share, out) {
    if (!regionPlus) { return }
    if (grid.length) {
      if (name === "std") {
        out.image(`${plot}.veil`, "image", turned(regionPlus, Uint8Array), [ny, nx], box)
      }
      return
    }
    const outside = Array.from(first.keys()).filter((i) => !regionPlus[i])
    out.source(`${plot}.veiled`, {
      x: outside.map((i) => first[i]), y: outside.map((i) => second[i]),
      size: outside.map(() => share * dot + 1),
    })
  }

  function map(plot, name, frame, share, out) {
    const values = valuesOf(name, frame)
    if (grid.length) {
      out.image(`${plot}.values`, "image", turned(values, Float32Array), [ny, nx], box)
    } else {
      const sizes = new Float64Array(size).fill(share * dot)
      out.source(`${plot}.dots`, {x: first, y: second, value: values, size: sizes})
    }
    veil(plot, name, frame.inside, share, out)
    out.model(`${plot}.colors`, colors(name, frame))
  }

  function colors(name, {largestStd, upper, lower}) {
    const [least, most] = scene.means
    const [bottom, top] = scene.values
    const ends = name === "std" ? [0, stepped(scene.largestStd, largestStd)]
      : name !== "upper" ? [least, most]
        : sign > 0 ? [least, most + stepped(top - most, largest(upper) - most)]
          : [least - stepped(least - bottom, least - extent(lower)[0]), most]
    const palette = lexicon.palettes[{std: "magma", upper: "bound"}[name] ?? "viridis"]
    return {palette, low: ends[0], high: ends[1] > ends[0] ? ends[1] : ends[0] + 1}
  }

  // The outline of R+, as numbers: ucbpe_app.pictures.maps.
  function region({regionPlus, explored, mean, std, yDot, betaNext}) {
    if (!explored) { return plus({regionPlus, yDot}, {mean, std, betaNext}) }
    const {mask, level, coefficient} = explored
    return around(mask, mean.map((one, i) => sign * one + coefficient * std[i] - level))
  }

  function plus({regionPlus, yDot}, {mean, std, betaNext}) {
    const wide = 2 * Math.sqrt(betaNext)
    return around(regionPlus, mean.map((one, i) => sign * (one - yDot) + wide * std[i]))
  }

  // R+ of GP-UCB-PE, to compare with the policy's own region.
  const compared = (frame) => (frame.compared ? plus(frame.compared, frame) : null)

  // Of a set and by how much its bound is reached.
  function around(mask, margins) {
    const inside = mask === null ? 0 : sizeOf(mask)
    if (!grid.length || inside === 0 || inside === size) { return null }
    const margin = margins.map(Math.abs)
    const most = largest(margin)
    const numbers = margin.map((one, i) => (
      Math.max(Math.round(127 * Math.sqrt(one / most)), 1) * (mask[i] ? 1 : -1)))
    return turned(numbers, Int8Array)
  }

  function marks(frame, out) {
    const {observed, fresh, picks} = frame
    const numbers = region(frame)
    const places = [0, 1].map((axis) => picks.map(({x}) => x[axis]))
    const current = picks.filter((pick) => pick.current)
    const labels = pickLabels(lexicon, picks, places[1], extents)
    for (const name of numbers ? ["map.outline", "first.outline_small"] : []) { // one for all small
      out.image(name, "image", numbers, [ny, nx], box)
    }
    const outlined = compared(frame)
    if (outlined) { out.image("map.outline_compared", "image", outlined, [ny, nx], box) }
    out.source("map.picks_over", picksAt(lexicon, picks, places, "picks_over"))
    out.source("first.picks_small", picksAt(lexicon, picks, places, "picks_small"))
    out.source("map.ring", {x: current.map(({x}) => x[0]), y: current.map(({x}) => x[1])})
    out.source("map.numbers", numbered(lexicon, labels, across, [bottom - rise, top + rise]))
    out.source("map.data_over", {
      x: observed.map((i) => first[i]), y: observed.map((i) => second[i]),
      size: observed.map((_, i) => geometry.map_crosses[Number(i >= observed.length - fresh)]),
    })
  }

  // The point with the greatest lower bound, and what can still be gained.
  function bracket({certificate: found}, out) {
    if (!layers.stop || !found) { return }
    const at = {x: [first[found.index]], y: [second[found.index]]}
    const left = (first[found.index] - low + pad) / (high - low + 2 * pad) < 1 / 2
    out.source("map.bracket_over", at)
    out.source("map.bracket_name", {
      ...at, text: [message("label.bracket", {bound: atLeast(found.regret, -1)})],
      align: [left ? "left" : "right"], offset: [(left ? 1 : -1) * geometry.bracket_gap],
    })
  }

  function interval({certificate: {bound, extreme}}) {
    return message(sign > 0 ? "label.bracket.map" : "label.bracket.map.minimize",
      {bound: atLeast(bound, sign), extreme: atLeast(extreme, -sign)})
  }

  function shortTitle(name) {
    if (name === "upper") { return message(sign > 0 ? "label.upper_bound" : "label.lower_bound") }
    return message(`label.${name}`)
  }

  function title(name, {event: {kind, k}, sqrtBeta}) {
    if (name === "std" && kind === "pick" && k) {
      return message("label.std_after", earlierPicks(k))
    }
    if (name !== "upper") { return shortTitle(name) }
    const which = sign > 0 ? "upper" : "lower"
    return message(`label.${which}_bound.made`, {multiplier: number(sqrtBeta)})
  }

  function note(frame) {
    const {inside, observed, certificate} = frame
    const own = frame.explored ? "_own" : ""
    if (layers.draws) { return "" } // the choice of a draw is there
    if (layers.stop && certificate) { return interval(frame) } // both have no room
    const parts = []
    if (inside?.every((one) => one)) {
      parts.push(message(`label.all${own}`))
    } else if (inside) {
      const name = grid.length ? "label.inside" : "label.unveiled"
      parts.push(message(`${name}${own}`, {share: percentage(inside)}))
    }
    if (layers.pinned) {
      parts.push(message("label.dotted", {run: layers.pinned}))
    } else if (compared(frame)) {
      parts.push(message("label.dotted_plus"))
    } else if (observed.length) {
      parts.push(message("label.measured"))
    }
    return parts.join("; ")
  }

  function update(frame, out) {
    const all = arranged(frame)
    const [large, small] = isDrawn ? ["mean", all.slice(0, slots.length)] : [all[0], all.slice(1)]
    if (isDrawn) { draw(frame, out) } else { map("map", large, frame, 1, out) }
    small.forEach((name, i) => {
      map(slots[i], name, frame, geometry.small_dot, out)
      out.labels(slots[i], [{text: shortTitle(name), place: "title"}])
    })
    const other = large === "std" || large === "upper" ? "mean" : "std"
    out.model("scale.colors", colors(other, frame))
    const scale = other === "mean" ? lexicon.output : message("label.std")
    out.labels("scale", [{text: scale, place: "title"}])
    out.labels("map", [
      {text: isDrawn ? message("label.one_draw") : title(large, frame), place: "title", strong: true}, {text: note(frame), place: "note"},
      {text: lexicon.inputs[1], place: "axis"}, {text: lexicon.inputs[0], place: "corner"},
    ])
    marks(frame, out)
    bracket(frame, out)
  }

  return {update}
}
