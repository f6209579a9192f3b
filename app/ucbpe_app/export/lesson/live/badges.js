// The names of the picks beside their marks: ucbpe_app.figures.curve.badges.

import {pickLabel} from "./words.js"

const FRAME = [500, 140]
const [LETTER, PADDING, HEIGHT, MARK] = [8, 8, 19, 8]
const PLACES = [[9, 8], [-9, 8], [9, -8], [-9, -8], [9, 28], [-9, 28], [9, -28], [-9, -28]]

const overlaps = (a, b) => (
  a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top)
const leaves = (box) => (
  box.left < 0 || box.right > FRAME[0] || box.bottom < 0 || box.top > FRAME[1])

function boxOf(text, [x, y], [dx, dy]) {
  const width = LETTER * text.length + PADDING
  const left = dx > 0 ? x + dx : x + dx - width
  const bottom = dy > 0 ? y + dy : y + dy - HEIGHT
  return {left, right: left + width, bottom, top: bottom + HEIGHT}
}

// The first place that is free and inside the frame, or else the least crowded.
function place(text, point, taken) {
  let [best, fewest] = [null, Infinity]
  for (const at of PLACES) {
    const box = boxOf(text, point, at)
    const crowding = taken.filter((other) => overlaps(box, other)).length + 9 * leaves(box)
    if (crowding < fewest) { [best, fewest] = [{at, box}, crowding] }
  }
  return best
}

// Columns of the badges of picks {index, family, color, number, x, y}; the ranges of the axes.
export function badges(picks, across, upwards) {
  const share = (value, [low, high]) => (value - low) / (high - low)
  const groups = new Map()
  for (const pick of picks) {
    const key = `${pick.index} ${pick.family}`
    groups.set(key, [...groups.get(key) ?? [], pick])
  }
  const placed = [...groups.values()].map((group) => ({
    group, x: group[0].x[0],
    y: group.reduce((most, one) => (one.y > most ? one.y : most), group[0].y),
  }))
  const points = placed.map(({x, y}) => (
    [FRAME[0] * share(x, across), FRAME[1] * share(y, upwards)]))
  const taken = points.map(([x, y]) => (
    {left: x - MARK, right: x + MARK, bottom: y - MARK, top: y + MARK}))
  const columns = {x: [], y: [], text: [], color: [], anchor: [], dx: [], dy: []}
  placed.forEach(({group, x, y}, i) => {
    const text = group.map((pick) => pickLabel(pick.number)).join(", ")
    const {at: [dx, dy], box} = place(text, points[i], taken)
    taken.push(box)
    const anchor = `${dy > 0 ? "bottom" : "top"}_${dx > 0 ? "left" : "right"}`
    const row = {x, y, text, color: group[0].color, anchor, dx, dy: -dy}
    for (const [name, value] of Object.entries(row)) { columns[name].push(value) }
  })
  return columns
}
