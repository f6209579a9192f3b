// Covariances of one candidate with all. The sums are those of ucbpe_core.gp.kernels, in its order, but
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
  const second = secondOf(settings)
  const first = alone(settings, columns, grid)
  return second ? joined(first, alone(second.settings, columns, grid), second.join) : first
}

// The kernel that the first is joined with, and how: it is not stretched.
export function secondOf({second, second_lengthscale, second_period, second_variance}) {
  if (second === "none") { return null }
  const [join, name] = second.split(" ")
  return {join, settings: {
    kernel: name.toLowerCase(), lengthscale: second_lengthscale, period: second_period, stretch: 1,
    variance: join === "plus" ? second_variance : 1, // it would only multiply the other
  }}
}

// A length of each input, from their geometric mean and the ratio of the second to the first.
export function stretched(length, stretch, inputs) {
  const root = Math.sqrt(stretch)
  return inputs === 2 ? [length * (1 / root), length * root] : Array(inputs).fill(length)
}

function joined(first, second, join) {
  const other = new Float64Array(first.diagonal.length)
  const add = (into, by) => { for (let i = 0; i < into.length; i++) { into[i] += by[i] } }
  const multiply = (into, by) => { for (let i = 0; i < into.length; i++) { into[i] *= by[i] } }
  const act = join === "plus" ? add : multiply
  const diagonal = first.diagonal.slice()
  act(diagonal, second.diagonal)
  const row = (j, into) => {
    first.row(j, into)
    second.row(j, other)
    act(into, other)
  }
  return {diagonal, row, roundingUnits: first.roundingUnits + second.roundingUnits}
}

function alone(settings, columns, grid) {
  const {kernel, nu} = settings
  if (kernel === "polynomial") { return polynomial(settings, columns) }
  if (kernel === "linear") { return polynomial({...settings, degree: 1, offset: 0}, columns) }
  const diagonal = new Float64Array(columns[0].length).fill(settings.variance)
  const row = kernel === "rbf" && grid.length === 2 ? rbfOnGrid(settings, columns, grid)
    : kernel === "periodic" ? periodic(settings, columns) : stationary(settings, columns)
  const roundingUnits = kernel === "matern" && !CLOSED.includes(nu) ? BESSEL_UNITS : 0
  return {diagonal, row, roundingUnits}
}

// A product of a factor for each input: nx + ny exponentials, and not nx ny.
function rbfOnGrid({lengthscale, stretch, variance}, columns, grid) {
  const [nx, ny] = grid
  const [xs, ys] = axesOf(columns, grid)
  const [across, upwards] = stretched(lengthscale, stretch, 2)
  const factor = (axis, at, length) => axis.map((one) => Math.exp(-(((one - at) / length) ** 2) / 2))
  return (j, into) => {
    const row = factor(xs, xs[Math.floor(j / ny)], across)
    const column = factor(ys, ys[j % ny], upwards)
    for (let i = 0; i < nx; i++) {
      const scale = variance * row[i]
      for (let k = 0; k < ny; k++) { into[i * ny + k] = scale * column[k] }
    }
  }
}

function stationary(settings, columns) {
  const {lengthscale, stretch, variance} = settings
  const profile = PROFILES[settings.kernel](settings)
  const size = columns[0].length
  // Differences before scaling: a quotient x / lengthscale is rounded to a share of x.
  if (columns.length === 1) {
    const [x] = columns
    return (j, into) => {
      const at = x[j]
      for (let i = 0; i < size; i++) { into[i] = variance * profile(Math.abs(x[i] - at) / lengthscale) }
    }
  }
  // With one lengthscale for all, the distance is divided.
  const squares = stretched(lengthscale, stretch, columns.length).map((one) => one * one)
  const [weights, divisor] = stretch === 1 ? [squares.map(() => 1), lengthscale] : [squares, 1]
  return (j, into) => {
    into.fill(0)
    columns.forEach((column, d) => {
      const [at, weight] = [column[j], weights[d]]
      for (let i = 0; i < size; i++) { into[i] += (column[i] - at) * (column[i] - at) / weight }
    })
    for (let i = 0; i < size; i++) { into[i] = variance * profile(Math.sqrt(into[i]) / divisor) }
  }
}

function periodic({lengthscale, period, stretch, variance}, columns) {
  const periods = stretched(period, stretch, columns.length)
  return (j, into) => {
    into.fill(0)
    columns.forEach((column, d) => {
      for (let i = 0; i < into.length; i++) {
        into[i] += (Math.sin(Math.PI * ((column[i] - column[j]) / periods[d])) / lengthscale) ** 2
      }
    })
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
