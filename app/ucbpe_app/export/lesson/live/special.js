// Functions of the normal distribution, for expected improvement.

const STEP = 0.5
const NODES = Array.from({length: 13}, (_, i) => ((i + 1) * STEP) ** 2)
const WEIGHTS = NODES.map((square) => Math.exp(-square))
const ROOT_PI = Math.sqrt(Math.PI)

// erf x = 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (2n+1)!!, whose terms have one sign.
function erf(x) {
  let term = x
  let total = x
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(total); n += 2) {
    term *= 2 * x * x / n
    total += term
  }
  return 2 / ROOT_PI * Math.exp(-x * x) * total
}

// exp(x^2) erfc x for x >= 1/2: the trapezoidal rule for the integral of
// exp(-s^2) x / (pi (s^2 + x^2)), which is exact to rounding but for the pole at s = ix.
export function erfcx(x) {
  let total = 1 / (2 * x * x)
  for (let i = 0; i < NODES.length; i++) { total += WEIGHTS[i] / (x * x + NODES[i]) }
  const integral = 2 * STEP * x / Math.PI * total
  if (x > Math.PI / STEP) { return integral }
  return integral - 2 * Math.exp(x * x) / Math.expm1(2 * Math.PI * x / STEP)
}

// The normal distribution function at x >= -1.
export function ndtr(x) {
  const scaled = x / Math.SQRT2
  return scaled > 6 ? 1 : (1 + erf(scaled)) / 2
}
