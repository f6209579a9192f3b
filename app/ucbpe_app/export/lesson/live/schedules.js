// beta_t, to the last bit as ucbpe_core.schedules: its products are taken in its order.

import {log} from "./exact.js"

const SQUARE = Math.PI * Math.PI

// The b that the prior needs, as ucbpe_core.kernels.scales.slope_bound.
function slope({kernel, nu, lengthscale, period, variance}) {
  if (kernel === "polynomial" || kernel === "linear") { return 1 }
  const factor = kernel === "matern" && nu > 1 ? nu / (nu - 1) : 1
  const length = kernel === "periodic" ? lengthscale * period / (2 * Math.PI) : lengthscale
  return Math.sqrt(2 * (variance * factor / (length * length)))
}

const UNSCALED = {
  finite: ({delta}, t, size) => 2 * log(size * t ** 2 * SQUARE / (6 * delta)),
  compact: (settings, t, _, d) => {
    const {delta, a, r} = settings
    const inner = log(4 * d * a / delta)
    const b = settings.b ?? Math.max(slope(settings), 1 / (d * r * Math.sqrt(inner)))
    const first = 2 * log(2 * t ** 2 * SQUARE / (3 * delta))
    return first + 2 * d * log(t ** 2 * d * b * r * Math.sqrt(inner))
  },
  constant: ({beta}) => beta,
}

// beta_t over `size` candidates of d inputs; `widening` is GP-BUCB's exp(2 C), 1 for others.
export function beta(settings, t, size, d, widening = 1) {
  return settings.scale * widening * UNSCALED[settings.schedule](settings, t, size, d)
}
