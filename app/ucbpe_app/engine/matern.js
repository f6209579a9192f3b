// The Matérn correlation of any smoothness, as ucbpe_core.gp.kernels.stationary:
// b_nu(s) = 2^(1-nu) / Gamma(nu) s^nu K_nu(s), with s = sqrt(2 nu) r and b_nu(0) = 1.

import {besselPair, gamma} from "./special.js"

const FARTHEST_S = 1e5 // every b_nu is 0 there, and no power of s overflows
const NEAREST_S = 1e-150

// b_nu(s) of those of the orders f and f + 1, f in (0, 1], `steps` orders lower, by the recurrence
// b_(f+1) = b_f + s^2 b_(f-1) / (4 f (f-1)): all terms are positive.
function recurrence(f, steps) {
  const divisors = Float64Array.from({length: Math.max(steps - 1, 0)}, (_, i) => (
    4 * (f + i + 1) * (f + i)))
  return (s, first, second) => {
    if (steps === 0) { return first }
    let [lower, upper] = [first, second]
    for (let i = 0; i < divisors.length; i++) {
      const next = upper + s * s * lower / divisors[i]
      lower = upper
      upper = next
    }
    return upper
  }
}

// The correlation at a scaled distance r, as a function of it.
export function matern(nu) {
  const steps = Math.ceil(nu) - 1
  const f = nu - steps
  const climb = recurrence(f, steps)
  const argument = (r) => Math.min(Math.sqrt(2 * nu) * r, FARTHEST_S)
  if (f === 0.5) {
    return (r) => {
      const s = argument(r)
      const decay = Math.exp(-s)
      return climb(s, decay, (1 + s) * decay)
    }
  }
  const bessel = besselPair(f)
  const front = 2 ** (1 - f) / gamma(f)
  const pair = new Float64Array(2)
  return (r) => {
    if (r === 0) { return 1 }
    const s = Math.max(argument(r), NEAREST_S)
    bessel(s, pair)
    const power = front * s ** f * Math.exp(-s)
    const first = power * pair[0]
    return climb(s, first, first + power * s * pair[1] / (2 * f))
  }
}
