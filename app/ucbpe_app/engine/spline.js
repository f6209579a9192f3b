// A natural cubic spline between values at some of the places of a line, or of a grid.

// At most so many places of n, evenly spread, with both ends.
export function spread(n, most) {
  const count = Math.min(n, most)
  return Array.from({length: count}, (_, k) => Math.round(k * (n - 1) / Math.max(count - 1, 1)))
}

// Second derivatives at the knots, 0 at both ends: a tridiagonal system, solved from the left.
function curvatures(knots, values) {
  const last = knots.length - 1
  const [share, found] = [new Float64Array(knots.length), new Float64Array(knots.length)]
  for (let i = 1; i < last; i++) {
    const [left, right] = [knots[i] - knots[i - 1], knots[i + 1] - knots[i]]
    const pivot = 2 * (left + right) - left * share[i - 1]
    const bend = 6 * ((values[i + 1] - values[i]) / right - (values[i] - values[i - 1]) / left)
    share[i] = right / pivot
    found[i] = (bend - left * found[i - 1]) / pivot
  }
  for (let i = last - 1; i > 0; i--) { found[i] -= share[i] * found[i + 1] }
  return found
}

// The values at all places `xs` of the line through those at the places numbered `known`.
export function along(xs, known, values) {
  if (known.length === xs.length || known.length < 2) { return Float64Array.from(values) }
  const knots = known.map((i) => xs[i])
  const second = curvatures(knots, values)
  let k = 0
  return Float64Array.from(xs, (x, i) => {
    while (i > known[k + 1]) { k += 1 }
    const width = knots[k + 1] - knots[k]
    const [a, b] = [(knots[k + 1] - x) / width, (x - knots[k]) / width]
    return a * values[k] + b * values[k + 1]
      + ((a ** 3 - a) * second[k] + (b ** 3 - b) * second[k + 1]) * width ** 2 / 6
  })
}

// Over a grid, the second input fastest: along that one, then along the first.
export function splined(values, [across, upwards], [xs, ys]) {
  const rows = across.map((_, i) => along(ys, upwards, values.slice(i * upwards.length, (i + 1) * upwards.length)))
  const whole = new Float64Array(xs.length * ys.length)
  for (let j = 0; j < ys.length; j++) {
    along(xs, across, rows.map((row) => row[j])).forEach((one, i) => { whole[i * ys.length + j] = one })
  }
  return whole
}
