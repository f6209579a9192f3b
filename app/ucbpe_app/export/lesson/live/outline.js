// Closed outlines of a set of grid points, along the zeros of a margin: ucbpe_app.pictures.outline.

import {extent, sizeOf} from "./arrays.js"

const TINY = 1e-12

export function edges(coordinates) {
  const n = coordinates.length
  const half = (coordinates[n - 1] - coordinates[0]) / Math.max(n - 1, 1) / 2 || 0.5
  return [coordinates[0] - half, coordinates[n - 1] + half]
}

function rimmed(coordinates) {
  const [low, high] = edges(coordinates)
  return [low, ...coordinates, high]
}

// The margin made to agree with the mask, with a rim outside the set by a hair's breadth.
function bordered(mask, margin, nx, ny) {
  const largest = Math.max(...extent(margin).map(Math.abs))
  const tiny = TINY * Math.max(largest, 2.2250738585072014e-308 / TINY)
  const field = new Float64Array((nx + 2) * (ny + 2)).fill(-tiny * 1e-3)
  for (let i = 0; i < nx; i++) {
    for (let j = 0; j < ny; j++) {
      const at = i * ny + j
      field[(i + 1) * (ny + 2) + j + 1] = mask[at] ? Math.max(margin[at], tiny)
        : Math.min(margin[at], -tiny)
    }
  }
  return field
}

// The corners of a cell are numbered around it, and side s is between corners s and s + 1. For each
// pattern of corners inside, the sides that a line connects; a saddle goes by its middle.
const SIDES = [[], [[3, 0]], [[0, 1]], [[3, 1]], [[1, 2]], null, [[0, 2]], [[3, 2]],
  [[2, 3]], [[2, 0]], null, [[2, 1]], [[1, 3]], [[1, 0]], [[0, 3]], []]
const SADDLES = {5: [[[3, 2], [1, 0]], [[3, 0], [1, 2]]], 10: [[[0, 3], [2, 1]], [[0, 1], [2, 3]]]}

// Of the sides of all cells, which is connected with which.
function connected(field, nx, ny) {
  const next = new Map()
  const side = (i, j, s) => {
    // Sides along x have even numbers: those of the cell's own corner, or its neighbours'.
    const [a, b] = [[i, j], [i + 1, j], [i, j + 1], [i, j]][s]
    return 2 * (a * ny + b) + (s % 2)
  }
  for (let i = 0; i + 1 < nx; i++) {
    for (let j = 0; j + 1 < ny; j++) {
      const at = i * ny + j
      const [a, b, c, d] = [field[at], field[at + ny], field[at + ny + 1], field[at + 1]]
      const pattern = (a > 0) | (b > 0) << 1 | (c > 0) << 2 | (d > 0) << 3
      if (pattern === 0 || pattern === 15) { continue } // nearly all: no line goes through them
      for (const [from, to] of SIDES[pattern] ?? SADDLES[pattern][a + b + c + d > 0 ? 0 : 1]) {
        const [a, b] = [side(i, j, from), side(i, j, to)]
        next.set(a, [...next.get(a) ?? [], b])
        next.set(b, [...next.get(b) ?? [], a])
      }
    }
  }
  return next
}

// A line around the points of a mask: x and y, loops with NaN between two; null for none or all.
export function outline(mask, margin, columns, rows) {
  const inside = sizeOf(mask)
  if (inside === 0 || inside === mask.length) { return null }
  const field = bordered(mask, margin, columns.length, rows.length)
  const [xs, ys] = [rimmed(columns), rimmed(rows)]
  const ny = ys.length
  const next = connected(field, xs.length, ny)
  const place = (side) => {
    const corner = Math.floor(side / 2)
    const [i, j] = [Math.floor(corner / ny), corner % ny]
    const alongX = side % 2 === 0
    const [low, high] = [field[corner], field[alongX ? corner + ny : corner + 1]]
    const share = low / (low - high)
    return alongX ? [xs[i] + share * (xs[i + 1] - xs[i]), ys[j]]
      : [xs[i], ys[j] + share * (ys[j + 1] - ys[j])]
  }
  const [x, y] = [[], []]
  while (next.size) {
    if (x.length) {
      x.push(NaN)
      y.push(NaN)
    }
    const [first] = next.keys()
    let at = first
    do {
      const [px, py] = place(at)
      x.push(px)
      y.push(py)
      const onward = next.get(at)
      next.delete(at)
      at = onward.find((side) => next.has(side)) ?? first
    } while (at !== first)
    const start = place(first) // closed
    x.push(start[0])
    y.push(start[1])
  }
  return {x: Float64Array.from(x), y: Float64Array.from(y)}
}
