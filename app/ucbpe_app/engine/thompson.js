// Thompson sampling: each pick is the best point of a function drawn from the posterior, as
// ucbpe_core.policies.ThompsonSampling, by the same stream.

import {takeAway} from "./posterior.js"
import {createNormal} from "./random.js"
import {largest} from "./arrays.js"

const [TOLERANCE, RESIDUE, DERIVED] = [1e-8, 1e-4, 1e-9]
const [BLOCK, POOL] = [128, 256]
// Numbers of the rows of a factor, 80 MB; a batch then takes seconds. The draws are Python's only if rows
// are added until no variance is above 1e-8 of the prior's. Of m candidates in two inputs a smooth kernel
// needs a few hundred rows. Matérn 5/2 leaves more than that at each of 10,000 but the pivots even after
// 2,500 rows, at the lengthscale 0.25 of the unit square, and rougher kernels leave more: nearly m rows,
// which are 8 m² = 800 MB, and m³/3 = 3e11 products for a batch, minutes of a page.
const MOST = 1e7

// Lowest of these places with a value within the tolerance of the best.
function firstOf(places, values, tolerance) {
  let best = -Infinity
  for (const i of places) { if (values[i] > best) { best = values[i] } }
  return places.find((i) => values[i] >= best - tolerance)
}

// Where pivots are sought: the largest variance, and others in proportion to theirs.
function poolOf(live, variance) {
  if (live.length <= POOL) { return live }
  const sums = new Float64Array(live.length)
  let total = 0
  live.forEach((i, k) => { sums[k] = total += variance[i] })
  const chosen = new Set()
  for (let [step, k] = [0, 0]; step < POOL; step++) {
    const sought = (1 - DERIVED) * ((step + 0.5) / POOL) * total
    while (sums[k] < sought) { k += 1 }
    chosen.add(live[k])
  }
  const most = live.reduce((best, i) => Math.max(best, variance[i]), 0)
  chosen.add(firstOf(live, variance, DERIVED * most))
  return [...chosen].sort((i, j) => i - j)
}

// What remains of the covariances of one of the candidates `places` with the others, after `rows`, over
// its standard deviation: the next row of their factor.
export function residual(p, places, rows, one, std) {
  const whole = new Float64Array(p.size)
  p.kernel.row(places[one], whole)
  const row = Float64Array.from(places, (i) => whole[i])
  takeAway(row, rows, rows.map((other) => other[one]), rows.length)
  for (let i = 0; i < row.length; i++) { row[i] /= std }
  return row
}

// Rows of the factor of the covariance among the candidates `indices`, at most a block of them; those
// of `rows` come before. Columns are places in `indices`.
function blockOf(p, indices, rows, variance, live, floor) {
  const pool = poolOf(live, variance)
  const left = variance.slice()
  const [pivots, made] = [[], []]
  let free = pool
  while (pivots.length < Math.min(BLOCK, pool.length)) {
    const j = firstOf(free, left, DERIVED * floor / TOLERANCE)
    if (!free.some((i) => left[i] > floor)) { break }
    const row = residual(p, indices, [...rows, ...made], j, Math.sqrt(left[j]))
    for (const i of free) { left[i] -= row[i] * row[i] }
    pivots.push(j)
    made.push(row)
    free = free.filter((i) => i !== j)
  }
  return {pivots, made}
}

// Independent draws of f at candidates, an array each.
function jointDraws(p, indices, count, normal) {
  const floor = TOLERANCE * largest(indices.map((i) => p.kernel.diagonal[i]))
  const rows = p.rows.map((row) => Float64Array.from(indices, (i) => row[i]))
  const variance = Float64Array.from(indices, (i) => Math.max(p.difference[i], 0))
  const draws = Array.from({length: count}, () => Float64Array.from(indices, (i) => p.mean[i]))
  let live = [...indices.keys()]
  while (live.length) {
    const {pivots, made} = blockOf(p, indices, rows, variance, live, floor)
    if (!pivots.length) { break }
    if ((rows.length + made.length) * indices.length > MOST) { throw new RangeError("error.draws") }
    for (const draw of draws) {
      const sum = new Float64Array(indices.length)
      for (const row of made) {
        const z = normal()
        for (const i of live) { sum[i] += z * row[i] }
      }
      for (const i of live) { draw[i] += sum[i] }
    }
    for (const i of live) {
      variance[i] = Math.max(variance[i] - made.reduce((sum, row) => sum + row[i] * row[i], 0), 0)
    }
    rows.push(...made)
    const gone = new Set(pivots)
    live = live.filter((i) => !gone.has(i))
  }
  for (const draw of draws) {
    for (const i of live) {
      const rest = variance[i] < RESIDUE * floor ? 0 : variance[i]
      draw[i] += Math.sqrt(rest) * normal()
    }
  }
  return draws
}

// The picks of batch t by a policy of this seed: the `possible` maximisers are where it draws.
export function thompsonPicks(p, t, count, seed, possible) {
  const indices = [...possible.keys()].filter((i) => possible[i])
  const draws = jointDraws(p, indices, count, createNormal(seed, t))
  const tolerance = Math.max(p.tolerance, DERIVED * Math.sqrt(p.largest))
  const places = [...indices.keys()]
  return draws.map((draw) => {
    const best = firstOf(places, draw, tolerance)
    return {index: indices[best], score: draw[best]}
  })
}
