// Covariances of one candidate with all. The sums are those of ucbpe_core.kernels, in its order.

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

// A kernel over candidates: `columns` are their coordinates, one array for each input.
// `diagonal` are the prior variances, `row(j, into)` the covariances of candidate j with all.
export function createKernel(settings, columns) {
  return settings.kernel === "polynomial" ? polynomial(settings, columns)
    : stationary(settings, columns)
}

function stationary({kernel, nu, lengthscale, variance}, columns) {
  const profile = PROFILES[kernel === "matern" ? `matern ${nu}` : kernel]
  const scaled = columns.map((column) => column.map((x) => x / lengthscale))
  const size = columns[0].length
  const row = scaled.length === 1 ? (j, into) => {
    const x = scaled[0]
    const at = x[j]
    for (let i = 0; i < size; i++) { into[i] = variance * profile(Math.abs(x[i] - at)) }
  } : (j, into) => {
    into.fill(0)
    for (const column of scaled) {
      const at = column[j]
      for (let i = 0; i < size; i++) { into[i] += (column[i] - at) * (column[i] - at) }
    }
    for (let i = 0; i < size; i++) { into[i] = variance * profile(Math.sqrt(into[i])) }
  }
  return {diagonal: new Float64Array(size).fill(variance), row}
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
