// Draws of f from the posterior: mean + sum z_r row_r, where the rows of the factor continue those of
// the posterior, largest remaining variance first. Their normal variables are the same at all events,
// but not those of Python's generators.

import {takeSquares} from "./posterior.js"
import {createNormal} from "./random.js"
import {spread, splined} from "./spline.js"
import {residual} from "./thompson.js"

const DRAWS = 8 // over one input; over two, one
const MOST_ACROSS = 24 // points along each of two inputs; on a finer grid there is a spline between
const TOLERANCE = 1e-8 // of the prior variance: what remains is not drawn
const SEED = 20130923

// Rows whose products are the covariances of f at some candidates after the first n points of a
// posterior, given the standard deviations at all.
export function factor(p, n, std, places = [...std.keys()]) {
  const rows = p.rows.slice(0, n).map((row) => Float64Array.from(places, (i) => row[i]))
  const variance = Float64Array.from(places, (i) => std[i] * std[i])
  const made = []
  while (made.length < places.length) {
    let best = 0
    for (let i = 1; i < variance.length; i++) { if (variance[i] > variance[best]) { best = i } }
    if (!(variance[best] > TOLERANCE * p.largest)) { break }
    const row = residual(p, places, rows, best, Math.sqrt(variance[best]))
    takeSquares(variance, row)
    rows.push(row)
    variance[best] = 0
    made.push(row)
  }
  return made
}

// How far draws are from the mean, at these candidates.
function departures(p, {observed, std}, count, places) {
  const rows = factor(p, observed.length, std, places)
  const normal = createNormal(SEED, 1)
  return Array.from({length: count}, () => {
    const own = new Float64Array(places.length)
    for (const row of rows) {
      const z = normal()
      for (let i = 0; i < own.length; i++) { own[i] += z * row[i] }
    }
    return own
  })
}

const around = (mean, own) => own.map((one, i) => mean[i] + one)

// Draws over one input, an array for each.
export function drawsOf(p, frame) {
  return departures(p, frame, DRAWS, [...frame.std.keys()]).map((own) => around(frame.mean, own))
}

// One draw over a grid of two inputs with the coordinates `sides`.
export function drawOver(p, frame, sides) {
  const [across, upwards] = sides.map((side) => spread(side.length, MOST_ACROSS))
  const places = across.flatMap((i) => upwards.map((j) => i * sides[1].length + j))
  const [own] = departures(p, frame, 1, places)
  return around(frame.mean, splined(own, [across, upwards], sides))
}

// The columns of their lines over sorted candidates.
export function linesOf(draws, xs, sorted, {color, width, alpha}) {
  const same = (value) => draws.map(() => value)
  const looks = {color: same(color), width: same(width), alpha: same(alpha), dash: same("solid")}
  return {...looks, xs: same(xs), ys: draws.map(sorted)}
}
