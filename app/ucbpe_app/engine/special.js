// Functions of the normal distribution, for expected improvement, and Bessel functions, for Matérn
// kernels.

const STEP = 0.5
const NODES = Array.from({length: 13}, (_, i) => ((i + 1) * STEP) ** 2)
const WEIGHTS = NODES.map((square) => Math.exp(-square))
const ROOT_PI = Math.sqrt(Math.PI)

// erf x = 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (2n+1)!!: all terms have one sign.
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

// The gamma function at 0 < x <= 1: the trapezoidal rule for the integral of exp((x + 1) t - e^t),
// which is Gamma(x + 1), over all t.
export function gamma(x) {
  let total = 0
  for (let t = -45; t < 6; t += 1 / 8) { total += Math.exp((x + 1) * t - Math.exp(t)) }
  return total / 8 / x
}

// The nodes of level j have the step 2^-(j+2): it is at most 0.73 / sqrt(x) for x < 8 4^j, at which
// the trapezoidal rule below is exact to rounding. Terms are left out from exp(-40) on.
const LEVELS = [360, 4, 2, 1, 0.5] // the last t
const LEAST = 40

function nodes(order, level) {
  const step = 2 ** -(level + 2)
  const t = Float64Array.from({length: LEVELS[level] / step}, (_, i) => i * step)
  const weight = (nu) => t.map((one, i) => (i === 0 ? 0.5 : 1) * step * Math.cosh(nu * one))
  const rise = t.map((one) => 2 * Math.sinh(one / 2) ** 2) // cosh t - 1
  return {step, rise, first: weight(order), second: weight(1 - order)}
}

// A function that puts e^x K_f(x) and e^x K_(1-f)(x), of 0 < f <= 1 and x >= 1e-150, into an array.
// K_f(x) is the integral of exp(-x cosh t) cosh(f t) over t > 0.
export function besselPair(f) {
  const levels = LEVELS.map((_, level) => nodes(f, level))
  const last = levels.length - 1
  return (x, into) => {
    let level = 0
    while (level < last && x >= 8 * 4 ** level) { level++ }
    const {step, rise, first, second} = levels[level]
    let [one, other] = [0, 0]
    for (let i = 0; i < rise.length && x * rise[i] < LEAST + i * step; i++) {
      const decay = Math.exp(-x * rise[i])
      one += first[i] * decay
      other += second[i] * decay
    }
    into[0] = one
    into[1] = other
  }
}

// Beyond which a normal variable lies with a probability below that of 5: Newton's method, from there.
export function tailAt(probability) {
  let c = 5
  for (let i = 0; i < 60; i++) {
    const density = Math.exp(-0.5 * c * c)
    c += (0.5 * erfcx(c / Math.SQRT2) - probability / density) * Math.sqrt(2 * Math.PI)
  }
  return c
}
