// beta_t, to the last bit as ucbpe_core.policies.schedules: its products are taken in its order.

import {log} from "./exact.js"
import {secondOf, stretched} from "./kernels.js"

const SQUARE = Math.PI * Math.PI

// The variance of f, and those of its partial derivatives; null where they are unknown: see
// ucbpe_core.gp.kernels.scales.
function variances(settings, d) {
  const {kernel, nu, lengthscale, period, stretch, variance} = settings
  if (kernel === "polynomial" || kernel === "linear") { return null }
  const factor = kernel === "matern" && nu > 1 ? nu / (nu - 1) : 1
  const lengths = kernel === "periodic"
    ? stretched(period, stretch, d).map((one) => lengthscale * one / (2 * Math.PI))
    : stretched(lengthscale, stretch, d)
  return [variance, lengths.map((one) => variance * factor / (one * one))]
}

// The b that the prior needs, as ucbpe_core.gp.kernels.scales.slope_bound.
function slope(settings, d) {
  const second = secondOf(settings)
  const parts = [settings, ...second ? [second.settings] : []].map((one) => variances(one, d))
  if (parts.includes(null)) { return 1 }
  const [[f, slopes], [g, others] = []] = parts
  const each = !second ? slopes : slopes.map((one, i) => (
    second.join === "plus" ? one + others[i] : one * g + f * others[i]))
  return 2 * Math.sqrt(Math.max(...each))
}

const UNSCALED = {
  finite: ({delta}, t, size) => 2 * log(size * t ** 2 * SQUARE / (6 * delta)),
  compact: (settings, t, _, d) => {
    const {delta, a, r} = settings
    const inner = log(4 * d * a / delta)
    const b = settings.b ?? Math.max(slope(settings, d), 1 / (d * r * Math.sqrt(inner)))
    const first = 2 * log(2 * t ** 2 * SQUARE / (3 * delta))
    return first + 2 * d * log(t ** 2 * d * b * r * Math.sqrt(inner))
  },
  constant: ({beta}) => beta,
}

// beta_t over `size` candidates of d inputs; `widening` is GP-BUCB's exp(2 C), 1 for others.
export function beta(settings, t, size, d, widening = 1) {
  return settings.scale * widening * UNSCALED[settings.schedule](settings, t, size, d)
}
