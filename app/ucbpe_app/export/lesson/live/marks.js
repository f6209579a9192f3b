// Names and marks of picks: ucbpe_app.pictures.marks.

import {coordinates, pickLabel} from "./words.js"

const SMALL = 0.75
const EDGES = [0.9, 0.7] // of the width: beyond it a name goes to the left; of the current pick
const GAPS = [12, 24]

// The picks of one place share a label; the current one says where it is.
export function pickLabels(picks, ys, extents) {
  const groups = new Map()
  picks.forEach((pick, k) => {
    if (Number.isFinite(ys[k])) {
      groups.set(pick.index, [...groups.get(pick.index) ?? [], {...pick, y: ys[k]}])
    }
  })
  return [...groups.values()].map((group) => {
    const names = group.map(({number: k}) => pickLabel(k)).join(", ")
    const strong = group.some(({current}) => current)
    return {
      text: strong ? `${names} = ${coordinates(group[0].x, extents)}` : names, strong,
      role: group.at(-1).role, place: "point", x: group[0].x[0],
      y: Math.max(...group.map(({y}) => y)),
    }
  })
}

// Picks over a field at columns x and y, as `picks_over` or `picks_small`.
export function picksOver(lexicon, picks, [x, y], small = false) {
  const looks = picks.map(({role}) => lexicon.roles[role])
  return {
    x, y,
    marker: looks.map(({marker}) => marker),
    fill: looks.map(({color}) => color),
    size: looks.map(({over}, k) => (
      small ? SMALL * over[0] : over[Number(picks[k].current)])),
  }
}

// The names of picks as marks, which move with a field.
export function numbers(labels, [low, high]) {
  const offsets = labels.map(({x, strong}) => (
    (x - low) / (high - low) > EDGES[Number(strong)] ? -1 : 1) * GAPS[Number(strong)])
  return {
    x: labels.map(({x}) => x), y: labels.map(({y}) => y), text: labels.map(({text}) => text),
    align: offsets.map((offset) => (offset > 0 ? "left" : "right")), offset: offsets,
  }
}

// Until the plane is a picture.
const [SIZE, CURRENT_SIZE, RING_SIZE] = [16, 21, 29]
const EDGE = 0.88
const [GAP, CURRENT_GAP] = [9, 18]
const [DARK, LIGHT, CLEAR] = ["#000000", "#FFFFFF", "#00000000"]

function shapes({marker, color}, {current}, [x, y]) {
  const size = current ? CURRENT_SIZE : SIZE
  const row = (marker, size, fill, line, width) => ({x, y, marker, size, fill, line, width})
  const ring = [row("circle", RING_SIZE, CLEAR, DARK, 4), row("circle", RING_SIZE, CLEAR, LIGHT, 2)]
  return [...current ? ring : [], row(marker, size, CLEAR, DARK, 3),
    row(marker, size, color, LIGHT, 1)]
}

// A star alone is x0: it has no number.
function label({number, role, current}, [x, y], [low, high]) {
  if (number === 0 && role === "ucb") { return [] }
  const gap = current ? CURRENT_GAP : GAP
  const offset = x > low + EDGE * (high - low) ? -gap : gap
  return [{x, y, text: String(number), align: offset > 0 ? "left" : "right", offset}]
}

const columns = (names, rows) => Object.fromEntries(
  names.map((name) => [name, rows.map((row) => row[name])]))

export function shapesAndNumbers(lexicon, picks, places, extent, numbered, name, out) {
  const marks = picks.flatMap((pick, k) => shapes(lexicon.roles[pick.role], pick, places[k]))
  const numbers = numbered ? picks.flatMap((pick, k) => label(pick, places[k], extent)) : []
  out.source(`${name}.shapes`, columns(["x", "y", "marker", "size", "fill", "line", "width"], marks))
  out.source(`${name}.numbers`, columns(["x", "y", "text", "align", "offset"], numbers))
}

// The columns of ucbpe_app.pictures.marks.picks.
export function picksAt(lexicon, picks, x, y) {
  const roles = picks.map(({role}) => lexicon.roles[role])
  return {
    x,
    y,
    marker: roles.map(({marker}) => marker),
    color: roles.map(({color}) => color),
    size: picks.map(({current}, k) => roles[k].sizes[Number(current)]),
    alpha: picks.map(({current}) => Number(current)),
  }
}
