// beta_t, to the last bit as ucbpe_core.schedules: its products are taken in its order.

import {log} from "./exact.js"

const SQUARE = Math.PI * Math.PI

const UNSCALED = {
  finite: ({delta}, t, size) => 2 * log(size * t ** 2 * SQUARE / (6 * delta)),
  compact: ({delta, a, b, r}, t, _, d) => {
    const inner = log(4 * d * a / delta)
    const first = 2 * log(2 * t ** 2 * SQUARE / (3 * delta))
    return first + 2 * d * log(t ** 2 * d * b * r * Math.sqrt(inner))
  },
  constant: ({beta}) => beta,
}

// Whether the schedule of these settings can be computed here.
export const isScheduled = ({schedule}) => schedule in UNSCALED

// beta_t over `size` candidates of d inputs; `widening` is GP-BUCB's exp(2 C), 1 for others.
export function beta(settings, t, size, d, widening = 1) {
  return settings.scale * widening * UNSCALED[settings.schedule](settings, t, size, d)
}
