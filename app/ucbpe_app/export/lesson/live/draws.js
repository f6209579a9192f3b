// Draws of f from the posterior: mean + sum z_r row_r, where the rows of the factor continue those of
// the posterior, largest remaining variance first. They turn as ucbpe_app.run.joint.Draws; their
// normal variables are the same at all events, but not those of Python's generators.

import {takeAway, takeSquares} from "./posterior.js"

const DRAWS = 5
const TOLERANCE = 1e-8 // of the prior variance: what remains is not drawn
const SEED = 20130923

// Standard normal numbers, by Box and Muller from a generator of 32 bits.
function createNormal(seed) {
  let state = seed
  const uniform = () => {
    state = (state + 0x6D2B79F5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}

// Rows whose products are the covariances of f after the first n points of a posterior, given the
// standard deviations there.
export function factor(p, n, std) {
  const known = p.rows.slice(0, n)
  const variance = std.map((one) => one * one)
  const made = []
  while (made.length < p.size) {
    let best = 0
    for (let i = 1; i < variance.length; i++) { if (variance[i] > variance[best]) { best = i } }
    if (!(variance[best] > TOLERANCE * p.largest)) { break }
    const rows = [...known, ...made]
    const row = new Float64Array(p.size)
    p.kernel.row(best, row)
    takeAway(row, rows, rows.map((one) => one[best]), rows.length)
    const pivot = Math.sqrt(variance[best])
    for (let i = 0; i < row.length; i++) { row[i] /= pivot }
    takeSquares(variance, row)
    variance[best] = 0
    made.push(row)
  }
  return made
}

// Five draws: `center`, `cosine` and `sine`, an array for each of them.
export function drawsOf(p, {observed, std, mean}) {
  const rows = factor(p, observed.length, std)
  const normal = createNormal(SEED)
  const turned = Array.from({length: 2 * DRAWS}, () => {
    const own = new Float64Array(p.size)
    for (const row of rows) {
      const z = normal()
      for (let i = 0; i < own.length; i++) { own[i] += z * row[i] }
    }
    return own
  })
  return {center: Array(DRAWS).fill(mean), cosine: turned.slice(0, DRAWS), sine: turned.slice(DRAWS)}
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
