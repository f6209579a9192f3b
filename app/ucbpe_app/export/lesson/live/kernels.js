// Covariances of one candidate with all. The sums are those of ucbpe_core.kernels, in its order, but
// for the RBF on a grid.

import {axesOf} from "./arrays.js"
import {matern} from "./matern.js"

// As ucbpe_core.Matern.rounding_units: the errors of SciPy's K_nu, in units of 2^-52.
const CLOSED = [0.5, 1.5, 2.5]
const BESSEL_UNITS = 512

// Of kernels of a scaled distance r, its correlation; by the names that files have for kernels.
const PROFILES = {
  rbf: () => (r) => Math.exp(-(r * r) / 2),
  matern: ({nu}) => matern(nu),
  rational_quadratic: ({alpha}) => (r) => Math.exp(-alpha * Math.log1p(r * r / (2 * alpha))),
}

// A kernel over candidates: `columns` are their coordinates, one array for each input; `grid` is the
// shape of a grid of two, the second input fastest. `diagonal` are the prior variances, `row(j, into)`
// the covariances of candidate j with all; `roundingUnits` is how far a value may be off beyond its last
// bit, in units of 2^-52 of the prior variance.
export function createKernel(settings, columns, grid = []) {
  const {kernel, nu} = settings
  if (kernel === "polynomial") { return polynomial(settings, columns) }
  if (kernel === "linear") { return polynomial({...settings, degree: 1, offset: 0}, columns) }
  const size = columns[0].length
  const diagonal = new Float64Array(size).fill(settings.variance)
  const row = kernel === "rbf" && grid.length === 2 ? rbfOnGrid(settings, columns, grid)
    : kernel === "periodic" ? periodic(settings, columns) : stationary(settings, columns)
  const roundingUnits = kernel === "matern" && !CLOSED.includes(nu) ? BESSEL_UNITS : 0
  return {diagonal, row, roundingUnits}
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

function stationary(settings, columns) {
  const {lengthscale, variance} = settings
  const profile = PROFILES[settings.kernel](settings)
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

function periodic({lengthscale, period, variance}, columns) {
  return (j, into) => {
    into.fill(0)
    for (const column of columns) {
      for (let i = 0; i < into.length; i++) {
        into[i] += (Math.sin(Math.PI * ((column[i] - column[j]) / period)) / lengthscale) ** 2
      }
    }
    for (let i = 0; i < into.length; i++) { into[i] = variance * Math.exp(-2 * into[i]) }
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
  return {diagonal: squares.map(value), row, roundingUnits: 0}
}
