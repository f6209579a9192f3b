// A line around the cells of an image that are above 0, from the source `numbers` to the source `line`:
// closed loops, with NaN between two. It goes between two cells where the squares of their values,
// with their signs, would be 0; and along the rim where the set reaches it.

// The corners of a cell are numbered around it, and side s is between corners s and s + 1. For each
// pattern of corners inside, the sides that a line connects; a saddle goes by its middle.
const SIDES = [[], [[3, 0]], [[0, 1]], [[3, 1]], [[1, 2]], null, [[0, 2]], [[3, 2]],
  [[2, 3]], [[2, 0]], null, [[2, 1]], [[1, 3]], [[1, 0]], [[0, 3]], []]
const SADDLES = {5: [[[3, 2], [1, 0]], [[3, 0], [1, 2]]], 10: [[[0, 3], [2, 1]], [[0, 1], [2, 3]]]}
const RIM = -1e-9 // outside by a hair's breadth

// The values with a rim around them, row by row.
function rimmed(image, rows, columns) {
  const field = new Float64Array((rows + 2) * (columns + 2)).fill(RIM)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const value = image[i * columns + j]
      field[(i + 1) * (columns + 2) + j + 1] = value * Math.abs(value)
    }
  }
  return field
}

// Of the sides of all cells, which is connected with which. Those along x have even numbers.
function connected(field, ny, nx) {
  const next = new Map()
  const side = (i, j, s) => 2 * ([i, i, i + 1, i][s] * nx + [j, j + 1, j, j][s]) + s % 2
  for (let i = 0; i + 1 < ny; i++) {
    for (let j = 0; j + 1 < nx; j++) {
      const at = i * nx + j
      const [a, b, c, d] = [field[at], field[at + 1], field[at + nx + 1], field[at + nx]]
      const pattern = (a > 0) | (b > 0) << 1 | (c > 0) << 2 | (d > 0) << 3
      if (pattern === 0 || pattern === 15) { continue } // nearly all: no line goes through them
      for (const ends of SIDES[pattern] ?? SADDLES[pattern][a + b + c + d > 0 ? 0 : 1]) {
        const [one, other] = ends.map((s) => side(i, j, s))
        next.set(one, [...next.get(one) ?? [], other])
        next.set(other, [...next.get(other) ?? [], one])
      }
    }
  }
  return next
}

function outline() {
  const [image] = numbers.get("image")
  if (image === undefined) { return {x: [], y: []} }
  const [rows, columns] = image.shape
  const field = rimmed(image, rows, columns)
  const placesOf = (start, length, count) => Array.from({length: count + 2}, (_, i) => (
    start + length * Math.min(Math.max(i - 0.5, 0), count) / count))
  const xs = placesOf(numbers.get("x")[0], numbers.get("dw")[0], columns)
  const ys = placesOf(numbers.get("y")[0], numbers.get("dh")[0], rows)
  const next = connected(field, ys.length, xs.length)
  const place = (side) => {
    const corner = Math.floor(side / 2)
    const [i, j] = [Math.floor(corner / xs.length), corner % xs.length]
    const [right, up] = side % 2 ? [0, 1] : [1, 0]
    const [low, high] = [field[corner], field[corner + (right || xs.length)]]
    const share = low / (low - high)
    return [xs[j] + share * (xs[j + right] - xs[j]), ys[i] + share * (ys[i + up] - ys[i])]
  }
  const points = []
  while (next.size) {
    if (points.length) { points.push([NaN, NaN]) }
    const [first] = next.keys()
    let at = first
    do {
      points.push(place(at))
      const onward = next.get(at)
      next.delete(at)
      at = onward.find((side) => next.has(side)) ?? first
    } while (at !== first)
    points.push(place(first)) // closed
  }
  return {x: points.map(([x]) => x), y: points.map(([, y]) => y)}
}

line.setv({data: outline()}, {sync: false})
