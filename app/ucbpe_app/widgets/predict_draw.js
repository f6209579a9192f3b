// A curve that a person draws over the picture, as what they expect, and the gap to what came out.

const HANDLES = 13 // values of a stroke, at even x
const KEY_STEPS = 40 // keys move a value by such a part of the axis

// Slopes of the curve through these points that goes beyond none of them: Fritsch and Carlson 1980.
function slopesOf(x, y) {
  const secants = y.slice(1).map((one, i) => (one - y[i]) / (x[i + 1] - x[i]))
  const slopes = y.map((_, i) => {
    const [before, after] = [secants[i - 1] ?? secants[i], secants[i] ?? secants[i - 1]]
    return before * after > 0 ? (before + after) / 2 : 0
  })
  secants.forEach((secant, i) => {
    const steep = secant && Math.hypot(slopes[i], slopes[i + 1]) / Math.abs(secant)
    if (steep <= 3) { return }
    slopes[i] *= 3 / steep
    slopes[i + 1] *= 3 / steep
  })
  return slopes
}

// That curve at the places `at`, which ascend.
export function joinedStroke(x, y, at) {
  const slopes = slopesOf(x, y)
  let i = 0
  return Array.from(at, (place) => {
    while (i < x.length - 2 && place > x[i + 1]) { i += 1 }
    const width = x[i + 1] - x[i]
    const t = (place - x[i]) / width
    const [back, both] = [1 - t, t * (1 - t)]
    return y[i] * back * back * (1 + 2 * t) + y[i + 1] * t * t * (3 - 2 * t)
      + width * both * (slopes[i] * back - slopes[i + 1] * t)
  })
}

// The values of all handles: what was not drawn goes on flat, or straight between what was.
export function wholeStroke(values) {
  const drawn = values.flatMap((value, i) => (value === null ? [] : [i]))
  if (!drawn.length) { return null }
  return values.map((value, i) => {
    if (value !== null) { return value }
    const before = drawn.findLast((one) => one < i)
    const after = drawn.find((one) => one > i)
    if (before === undefined || after === undefined) { return values[before ?? after] }
    return values[before] + (values[after] - values[before]) * (i - before) / (after - before)
  })
}

// How far a stroke is from the line `curve` over x: on average, and where most; the share of x at
// which it is within the band, if there is one.
export function strokeGap(stroke, {x, curve, lower, upper}) {
  const own = joinedStroke(handlesOver(x), stroke, x)
  const gaps = own.map((one, i) => Math.abs(one - curve[i]))
  const most = gaps.indexOf(Math.max(...gaps))
  const within = lower && own.filter((one, i) => lower[i] <= one && one <= upper[i]).length
  return {
    own, most, largest: gaps[most], average: gaps.reduce((sum, one) => sum + one, 0) / x.length,
    share: lower ? within / x.length : null,
  }
}

export function handlesOver(x) {
  const [start, end] = [x[0], x.at(-1)]
  return Array.from({length: HANDLES}, (_, i) => start + (end - start) * i / (HANDLES - 1))
}
