// Draws of f from the posterior: mean + sum z_r row_r, where the rows of the factor continue those of
// the posterior, largest remaining variance first. They turn as ucbpe_app.run.joint.Draws; their
// normal variables are the same at all events, but not those of Python's generators.

import {takeSquares} from "./posterior.js"
import {createNormal} from "./random.js"
import {spread, splined} from "./spline.js"
import {residual} from "./thompson.js"

const DRAWS = 5 // over one input; over two, one
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

// The parts of a draw that turn, at these candidates.
function turning(p, {observed, std}, count, places) {
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

// Five draws: `center`, `cosine` and `sine`, an array for each of them.
export function drawsOf(p, frame) {
  const turned = turning(p, frame, 2 * DRAWS, [...frame.std.keys()])
  return {center: Array(DRAWS).fill(frame.mean), cosine: turned.slice(0, DRAWS), sine: turned.slice(DRAWS)}
}

// One draw over a grid of two inputs with the coordinates `sides`.
export function drawOver(p, frame, sides) {
  const [across, upwards] = sides.map((side) => spread(side.length, MOST_ACROSS))
  const places = across.flatMap((i) => upwards.map((j) => i * sides[1].length + j))
  const turned = turning(p, frame, 2, places)
  const [cosine, sine] = turned.map((values) => splined(values, [across, upwards], sides))
  return {center: frame.mean, cosine, sine}
}

// The columns of their lines over sorted candidates, and the range that they keep to.
export function linesOf({center, cosine, sine}, xs, sorted, {color, width, alpha}) {
  const all = [center, cosine, sine].map((curves) => curves.map(sorted))
  const ys = all[0].map((curve, d) => curve.map((one, i) => one + all[1][d][i]))
  let [low, high] = [Infinity, -Infinity]
  all[0].forEach((curve, d) => curve.forEach((one, i) => {
    const far = Math.hypot(all[1][d][i], all[2][d][i])
    low = Math.min(low, one - far)
    high = Math.max(high, one + far)
  }))
  const same = (value) => ys.map(() => value)
  const looks = {color: same(color), width: same(width), alpha: same(alpha), dash: same("solid")}
  return {range: [low, high], end: ys.at(-1).at(-1), columns: {...looks, xs: same(xs), ys, center: all[0], cosine: all[1], sine: all[2]}}
}
