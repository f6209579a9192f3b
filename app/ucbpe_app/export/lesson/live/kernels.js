// Covariances of one candidate with all. The sums are those of ucbpe_core.kernels, in its order, but
// for the RBF on a grid.

import {axesOf} from "./arrays.js"

const PROFILES = {
  "rbf": (r) => Math.exp(-(r * r) / 2),
  "matern 0.5": (r) => Math.exp(-Math.sqrt(1) * r),
  "matern 1.5": (r) => {
    const s = Math.sqrt(3) * r
    return (1 + s) * Math.exp(-s)
  },
  "matern 2.5": (r) => {
    const s = Math.sqrt(5) * r
    return (1 + s + s * s / 3) * Math.exp(-s)
  },
}

// Whether the kernel of these settings can be computed here.
export function isKnown({kernel, nu}) {
  return kernel === "polynomial" || kernel === "rbf" || `matern ${nu}` in PROFILES
}

// A kernel over candidates: `columns` are their coordinates, one array for each input; `grid` is the
// shape of a grid of two, the second input fastest. `diagonal` are the prior variances, `row(j, into)`
// the covariances of candidate j with all.
export function createKernel(settings, columns, grid = []) {
  if (settings.kernel === "polynomial") { return polynomial(settings, columns) }
  const size = columns[0].length
  const diagonal = new Float64Array(size).fill(settings.variance)
  const row = settings.kernel === "rbf" && grid.length === 2 ? rbfOnGrid(settings, columns, grid)
    : stationary(settings, columns)
  return {diagonal, row}
}

// A product of a factor for each input: nx + ny exponentials, and not nx ny.
function rbfOnGrid({lengthscale, variance}, columns, grid) {
  const [nx, ny] = grid
  const [xs, ys] = axesOf(columns, grid)
  const factor = (axis, at) => axis.map((one) => Math.exp(-(((one - at) / lengthscale) ** 2) / 2))
  return (j, into) => {
    const across = factor(xs, xs[Math.floor(j / ny)])
    const up = factor(ys, ys[j % ny])
    for (let i = 0; i < nx; i++) {
      const scale = variance * across[i]
      for (let k = 0; k < ny; k++) { into[i * ny + k] = scale * up[k] }
    }
  }
}

function stationary({kernel, nu, lengthscale, variance}, columns) {
  const profile = PROFILES[kernel === "matern" ? `matern ${nu}` : kernel]
  const size = columns[0].length
  // Differences before scaling: a quotient x / lengthscale is rounded to a share of x.
  return columns.length === 1 ? (j, into) => {
    const x = columns[0]
    const at = x[j]
    for (let i = 0; i < size; i++) { into[i] = variance * profile(Math.abs(x[i] - at) / lengthscale) }
  } : (j, into) => {
    into.fill(0)
    for (const column of columns) {
      const at = column[j]
      for (let i = 0; i < size; i++) { into[i] += (column[i] - at) * (column[i] - at) }
    }
    for (let i = 0; i < size; i++) { into[i] = variance * profile(Math.sqrt(into[i]) / lengthscale) }
  }
}

function polynomial({degree, offset, variance}, columns) {
  const size = columns[0].length
  const value = (product) => variance * (product + offset) ** degree
  const squares = new Float64Array(size)
  for (const column of columns) { for (let i = 0; i < size; i++) { squares[i] += column[i] * column[i] } }
  const row = (j, into) => {
    into.fill(0)
    for (const column of columns) {
      for (let i = 0; i < size; i++) { into[i] += column[i] * column[j] }
    }
    for (let i = 0; i < size; i++) { into[i] = value(into[i]) }
  }
  return {diagonal: squares.map(value), row}
}
