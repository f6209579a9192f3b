// The decision plane, event by event: ucbpe_app.pictures.plane.

import {picksAt} from "./marks.js"
import {relevantRegion} from "./policies.js"
import {stepped} from "./scales.js"
import {grouped, pickLabel, say} from "./words.js"

// Where the range of std begins and ends, and between them where the line meets that of the mean.
function crossing({slope, start}, {left, right, bottom, top}) {
  const low = Math.max(left, 0)
  const met = slope ? [bottom, top].map((one) => (one - start) / slope) : []
  return [low, ...met.filter((one) => low < one && one < right).sort((a, b) => a - b), right]
}

// Both ends of its part in the window.
function within(line, box) {
  const corners = crossing(line, box)
  const at = (std) => line.start + line.slope * std
  const inside = corners.slice(1).flatMap((one, i) => {
    const middle = line.start + line.slope * (corners[i] + one) / 2
    return box.bottom <= middle && middle <= box.top ? [i] : []
  })
  if (!inside.length) { return null }
  const x = [corners[inside[0]], corners[inside.at(-1) + 1]]
  return {x, y: x.map(at)}
}

export function createPlane({scene}, lexicon) {
  const {sign} = scene
  const {plane_pad: share, plane_places: places, plane_along: along, ...geometry} = lexicon.geometry
  const many = scene.size > geometry.plane_many
  const message = (name, values) => say(lexicon.texts, name, values)

  function bracket([low, high], lowest, highest) {
    const span = stepped(high - low, (highest - lowest) / (1 - 1 / places)) || 1
    const bottom = low + Math.floor((lowest - low) / span * places) * span / places
    return [bottom, bottom + span]
  }

  // The box that holds R+ and the picks, in rare steps from the run's whole.
  function windowOf({event, mean, std, stdNow, beta, betaNext, picks}) {
    const maximised = {mean: sign > 0 ? mean : mean.map((one) => -one), tolerance: 0}
    const {regionPlus} = relevantRegion(maximised, std, [beta, betaNext])
    let [widest, lowest, highest] = [-Infinity, Infinity, -Infinity]
    const hold = (s, m) => {
      widest = Math.max(widest, s)
      lowest = Math.min(lowest, m)
      highest = Math.max(highest, m)
    }
    for (let i = 0; i < std.length; i++) { if (regionPlus[i]) { hold(std[i], mean[i]) } }
    for (const pick of picks) {
      hold(event.kind === "observe" ? stdNow[pick.index] : pick.std, mean[pick.index])
    }
    const right = stepped(scene.largestStd, widest) || 1
    const [bottom, top] = bracket(scene.means, lowest, highest)
    const pad = share * (top - bottom)
    return [-share / 2 * right, (1 + share) * right, bottom - pad, top + pad]
  }

  // Which dots are in the window.
  function seenIn({stdNow, mean}, {left, right, bottom, top}) {
    return Uint8Array.from(stdNow, (s, i) => (
      left <= s && s <= right && bottom <= mean[i] && mean[i] <= top))
  }

  // Of many dots the first in each cell: others there would be drawn over it.
  function apart(indices, {stdNow, mean}, {left, right, bottom, top}) {
    if (!many) { return indices }
    const [columns, rows] = geometry.plane_cells
    const [across, up] = [columns / (right - left), rows / (top - bottom)]
    const taken = new Uint8Array((columns + 1) * (rows + 1))
    return indices.filter((i) => {
      const cell = Math.floor((mean[i] - bottom) * up) * (columns + 1) + Math.floor((stdNow[i] - left) * across)
      return !taken[cell] && (taken[cell] = 1)
    })
  }

  function dots({inside, ...frame}, seen, box, out) {
    const {stdNow, mean} = frame
    const some = (has) => {
      const indices = apart(Array.from(seen.keys()).filter((i) => seen[i] && has(i)), frame, box)
      return {x: Float64Array.from(indices, (i) => stdNow[i]),
        y: Float64Array.from(indices, (i) => mean[i])}
    }
    out.source("plane.plane_dots", some((i) => !inside?.[i]))
    if (inside) { out.source("plane.plane_dots_plus", some((i) => inside[i])) }
  }

  function linesOf({picks, mean, std, stdNow, yDot, sqrtBeta, betaNext, explored, compared}) {
    const slope = sign * sqrtBeta
    const pick = picks.find(({current}) => current)
    return {
      ...pick?.role === "ucb"
        ? {equal_upper: {slope: -slope, start: mean[pick.index] + slope * pick.std}} : {},
      ...yDot !== null && stdNow === std ? {
        equal_lower: {slope, start: yDot},
        plus_edge: {slope: -2 * sign * Math.sqrt(betaNext), start: yDot},
      } : {},
      ...explored && stdNow === std ? {
        compared_edge: {slope: -2 * sign * Math.sqrt(betaNext), start: compared.yDot},
        plus_edge: {slope: -sign * explored.coefficient, start: sign * explored.level},
      } : {},
    }
  }

  function halfPlane(edge, box) {
    const x = crossing(edge, box)
    const line = x.map((one) => (
      Math.min(Math.max(edge.start + edge.slope * one, box.bottom), box.top)))
    return sign > 0 ? {x, lower: line, upper: x.map(() => box.top)}
      : {x, lower: x.map(() => box.bottom), upper: line}
  }

  function lineLabels(ends, explored) {
    const bounds = ["label.equal_upper", "label.equal_lower"]
    const [upper, lower] = sign > 0 ? bounds : bounds.reverse()
    const names = {
      equal_upper: [message(upper), "ucb"],
      equal_lower: [message("label.through_y_dot", {line: message(lower)}), "y_dot"],
      compared_edge: [message("label.compared_edge"), "region_plus"],
      plus_edge: [message(explored ? "label.edge_own" : "label.edge"), "region_plus"],
    }
    return Object.entries(ends).map(([name, {x, y}]) => {
      const at = ([from, to]) => along[name] * to + (1 - along[name]) * from
      const [text, role] = names[name]
      return {text, role, place: "point", x: at(x), y: at(y)}
    })
  }

  // What the dots in colour are, above all dots.
  function dotLabels({inside, explored}) {
    if (!inside?.some((one) => one)) { return [] }
    const name = explored ? "label.dots_inside_own" : "label.dots_inside"
    return [{text: message(name), role: "region_plus", place: "note"}]
  }

  function labels(frame, seen, box, ends, out) {
    const {stdNow, mean, regionPlus, picks} = frame
    const hidden = seen.length - seen.reduce((sum, one) => sum + one, 0)
    const made = picks.filter(({current}) => current).map(({number, role, index}) => {
      const pick = pickLabel(number)
      const text = role === "pe" && regionPlus ? message("label.rightmost", {pick}) : pick
      return {
        text, role: lexicon.roles[role].look, place: "point", strong: true, x: stdNow[index], y: mean[index]}
    })
    out.labels("plane", [
      {text: message("label.plane"), place: "title", strong: true},
      {text: message("label.mean"), place: "axis"},
      {text: message("label.std"), place: "point", x: box.right, y: box.bottom},
      ...hidden ? [{text: message("label.hidden", {hidden: grouped(hidden)}), place: "point",
        x: box.right, y: box.top}] : [],
      ...made, ...lineLabels(ends, frame.explored), ...dotLabels(frame),
    ])
  }

  function update(frame, out, window) {
    const {stdNow, mean, picks} = frame
    const [left, right, bottom, top] = window ?? windowOf(frame)
    const box = {left, right, bottom, top}
    const seen = seenIn(frame, box)
    out.range("plane.x_range", {start: left, end: right})
    out.range("plane.y_range", {start: bottom, end: top})
    dots(frame, seen, box, out)
    const lines = linesOf(frame)
    const ends = Object.fromEntries(Object.entries(lines)
      .map(([name, line]) => [name, within(line, box)]).filter(([, end]) => end))
    for (const [name, columns] of Object.entries(ends)) { out.source(`plane.${name}`, columns) }
    if (lines.plus_edge) { out.source("plane.half_plane", halfPlane(lines.plus_edge, box)) }
    const guide = picks.filter(({current, role}) => current && role === "pe")
    out.source("plane.guide", {x: guide.map(({std}) => std)})
    const places = [stdNow, mean].map((values) => picks.map(({index}) => values[index]))
    out.source("plane.picks_over", picksAt(lexicon, picks, places, "picks_over"))
    labels(frame, seen, box, ends, out)
  }

  return {update}
}
