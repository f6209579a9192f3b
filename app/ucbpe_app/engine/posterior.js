// The posterior over candidates as a list of rows, V = L^-1 k(X_n, X), as ucbpe_core.gp.posterior.
// A hallucination appends a row; the observation of the same point uses that row.

import {largest} from "./arrays.js"

const NOISE_FLOOR = 1e-10
const TIE = 1e-11
const EPSILON = 2 ** -52

// sum_i weights[i] * rows[i], taken away from `into`: four rows a pass, or memory is the limit.
export function takeAway(into, rows, weights, n) {
  const size = into.length
  let i = 0
  for (; i + 3 < n; i += 4) {
    const [r0, r1, r2, r3] = [rows[i], rows[i + 1], rows[i + 2], rows[i + 3]]
    const [w0, w1, w2, w3] = [weights[i], weights[i + 1], weights[i + 2], weights[i + 3]]
    for (let j = 0; j < size; j++) {
      into[j] -= w0 * r0[j] + w1 * r1[j] + w2 * r2[j] + w3 * r3[j]
    }
  }
  for (; i < n; i++) {
    const [row, weight] = [rows[i], weights[i]]
    for (let j = 0; j < size; j++) { into[j] -= weight * row[j] }
  }
}

// Takes away the squares: a product, as ** is ten times slower here.
export function takeSquares(into, row) {
  for (let i = 0; i < row.length; i++) { into[i] -= row[i] * row[i] }
}

export class Posterior {
  // `prior` is {mean, noiseVariance}, in the direction in which f is maximised. `earlier`, over the
  // same candidates, is used up: its rows are written over, as fresh memory costs as much as a row.
  // If it is `alike`, of the same kernel and noise, they stay as long as the points are its points.
  constructor(kernel, {mean, noiseVariance}, earlier = null, alike = false) {
    this.kernel = kernel
    this.prior = {mean, noiseVariance}
    this.earlier = earlier
    this.alike = alike
    if (earlier) { earlier.earlier = null } // one is enough to keep
    this.size = kernel.diagonal.length
    this.largest = largest(kernel.diagonal)
    this.rows = []
    this.indices = []
    this.pivots = []
    this.residuals = [] // of the rows observed; the others are hallucinations
    this.noiseRatio = 0 // largest prior variance over noise variance
    this.conditioning = 1 // largest prior variance over squared pivot
    this.mean = new Float64Array(this.size).fill(mean)
    this.difference = kernel.diagonal.slice() // k(x, x) - sum V^2
  }

  get n() { return this.rows.length }

  // Condition on candidate j at its mean: the mean stays, the std shrinks.
  hallucinate(j) {
    const {rows, kernel, prior, n} = this
    const noise = Math.max(prior.noiseVariance, NOISE_FLOOR * this.largest) || 1
    this.alike &&= this.earlier.indices[n] === j
    const pivot = this.alike ? this.earlier.pivots[n] : this.pivotOf(j, noise)
    const row = this.earlier?.rows[n] ?? new Float64Array(this.size)
    if (!this.alike) { this.fill(row, j, pivot) }
    takeSquares(this.difference, row)
    rows.push(row)
    this.indices.push(j)
    this.pivots.push(pivot)
    this.noiseRatio = Math.max(this.noiseRatio, kernel.diagonal[j] / noise)
    this.conditioning = Math.max(this.conditioning, kernel.diagonal[j] / pivot ** 2)
  }

  pivotOf(j, noise) {
    const variance = this.difference[j]
    const prior = this.kernel.diagonal[j]
    if (!(variance >= -0.5 * NOISE_FLOOR * prior && variance < Infinity)) {
      throw new RangeError("error.covariance")
    }
    return Math.sqrt(Math.max(variance, 0) + noise)
  }

  fill(row, j, pivot) {
    this.kernel.row(j, row)
    takeAway(row, this.rows, this.rows.map((one) => one[j]), this.n)
    for (let i = 0; i < row.length; i++) { row[i] /= pivot }
  }

  // Give the first hallucinated point its value.
  observe(y) {
    const i = this.residuals.length
    const residual = (y - this.mean[this.indices[i]]) / this.pivots[i]
    const [{mean}, row] = [this, this.rows[i]]
    for (let k = 0; k < row.length; k++) { mean[k] += residual * row[k] }
    this.residuals.push(residual)
  }

  // Of a difference of variances the standard deviation that it stands for, into an array.
  std(into = new Float64Array(this.size), difference = this.difference) {
    for (let i = 0; i < into.length; i++) { into[i] = Math.sqrt(Math.max(difference[i], 0)) }
    return into
  }

  // What a run keeps of it.
  snapshot() {
    const {mean, difference, noiseRatio, conditioning, n} = this
    const copies = {mean: mean.slice(), std: this.std(), difference: difference.slice()}
    return {...copies, noiseRatio, conditioning, n}
  }

  // Drop the hallucinations since a snapshot: their rows.
  forget({difference, noiseRatio, conditioning, n}) {
    this.difference.set(difference)
    Object.assign(this, {noiseRatio, conditioning})
    for (const list of [this.indices, this.pivots]) { list.length = n }
    return this.rows.splice(n)
  }

  stdAt(i) { return Math.sqrt(Math.max(this.difference[i], 0)) }

  // Lowest index, inside the mask if there is one, whose standard deviation is within the tolerance
  // of the largest: roots are taken only of variances close to it.
  leastKnown(mask = null) {
    const {difference, size} = this
    let best = 0
    for (let i = 0; i < size; i++) {
      if (difference[i] > best && (mask === null || mask[i])) { best = difference[i] }
    }
    const largestStd = Math.sqrt(best)
    const least = largestStd - this.stdTolerance(largestStd)
    const close = least > 0 ? (1 - TIE) * least ** 2 : -Infinity
    for (let i = 0; i < size; i++) {
      if (difference[i] >= close && (mask === null || mask[i]) && this.stdAt(i) >= least) { return i }
    }
    return 0
  }

  // Whether f is known at a candidate with this std: GaussianProcess.knows.
  knows(std) {
    const {noiseVariance} = this.prior, floor = NOISE_FLOOR * this.largest
    return (Math.max(noiseVariance, floor) || 1) > noiseVariance && std ** 2 <= 2 * floor
  }

  get units() { return (this.n + this.kernel.roundingUnits) * EPSILON }

  // Within these, standard deviations of about `std`, or two means, are a tie: see ucbpe_core.gp.ties.
  stdTolerance(std) {
    const priorStd = Math.sqrt(this.largest)
    const conditioning = std > 0
      ? Math.max(this.conditioning, (priorStd / std) ** 2) : this.noiseRatio
    return priorStd * (TIE + 2 * this.units * Math.sqrt(conditioning))
  }

  get tolerance() {
    const priorStd = Math.sqrt(this.largest)
    const byPoints = 2 * priorStd * Math.sqrt(this.conditioning) * Math.hypot(...this.residuals)
    return priorStd * TIE + this.units * (Math.abs(this.prior.mean) + byPoints)
  }

}
