// While a hand draws: the curve through the points that are there now, as the server will make it.
// A drag that begins away from every point draws with a free hand; its points are handed over at the
// end. Called at the events of a drag with cb_obj, line, points, figure and limits; a pointer that
// rests for 300 ms before it moves is a press to Bokeh, which then tells where it is moved.

const NEAR = 14 // px: from here on a drag moves the point instead
const state = window.ucbpeDrawing ??= new Map()
const hand = state.get(figure.id) ?? {path: null, forget: () => { hand.path = null }}
state.set(figure.id, hand)

// Fritsch and Carlson's monotone cubic, with the slopes that SciPy's PchipInterpolator has.
function slopes(x, y) {
  const h = x.slice(1).map((right, i) => right - x[i])
  const rise = h.map((width, i) => (y[i + 1] - y[i]) / width)
  if (rise.length === 1) { return [rise[0], rise[0]] }
  const end = (h0, h1, r0, r1) => {
    const slope = ((2 * h0 + h1) * r0 - h0 * r1) / (h0 + h1)
    if (Math.sign(slope) !== Math.sign(r0)) { return 0 }
    return Math.sign(r0) !== Math.sign(r1) && Math.abs(slope) > 3 * Math.abs(r0) ? 3 * r0 : slope
  }
  const inner = rise.slice(1).map((after, i) => {
    const before = rise[i], w1 = 2 * h[i + 1] + h[i], w2 = h[i + 1] + 2 * h[i]
    return before * after <= 0 ? 0 : (w1 + w2) / (w1 / before + w2 / after)
  })
  const n = h.length
  return [end(h[0], h[1], rise[0], rise[1]), ...inner,
    end(h[n - 1], h[n - 2], rise[n - 1], rise[n - 2])]
}

function curve(pairs, places) {
  const x = pairs.map(([one]) => one), y = pairs.map(([, one]) => one), d = slopes(x, y)
  let i = 0
  return places.map((place) => {
    const at = Math.min(Math.max(place, x[0]), x[x.length - 1])
    while (i < x.length - 2 && at > x[i + 1]) { i++ }
    const h = x[i + 1] - x[i], s = (at - x[i]) / h, r = 1 - s
    return r * r * (1 + 2 * s) * y[i] + s * s * (3 - 2 * s) * y[i + 1]
      + h * s * r * (r * d[i] - s * d[i + 1])
  })
}

// In the order of x and inside the limits; of points at nearly one x, the last.
function ordered(pairs) {
  const inside = pairs.filter(([x, y]) => x >= limits.left && x <= limits.right && isFinite(y))
  const sorted = inside.map((pair, i) => [...pair, i]).sort((a, b) => a[0] - b[0] || a[2] - b[2])
  return sorted.filter(([x], i) => i + 1 === sorted.length || sorted[i + 1][0] - x > 1e-3)
    .map(([x, y]) => [x, y])
}

const present = () => [...points.get_column("x")].map((x, i) => [x, points.get_column("y")[i]])

// The points beside the path, and as many on it as there may be.
function withPath(path) {
  const drawn = ordered(path)
  if (drawn.length === 0) { return present() }
  const low = drawn[0][0], high = drawn[drawn.length - 1][0]
  const rest = present().filter(([x]) => x < low || x > high)
  const gap = (limits.right - limits.left) / limits.most
  const room = Math.max(1, Math.min(limits.most - rest.length, Math.ceil((high - low) / gap) + 1))
  const step = (drawn.length - 1) / Math.max(room - 1, 1)
  const count = Math.min(room, drawn.length)
  const picked = count === drawn.length ? drawn
    : Array.from({length: count}, (_, i) => drawn[Math.round(i * step)])
  return ordered([...rest, ...picked])
}

function show(pairs) {
  const sorted = ordered(pairs)
  if (sorted.length < limits.fewest) { return }
  const y = curve(sorted, [...line.get_column("x")])
  // In place: the server draws its own at the end.
  y.forEach((value, i) => { line.get_column("y")[i] = value })
  line.change.emit()
}

const px = ({x_range, y_range, inner_width, inner_height}) => [
  inner_width / (x_range.end - x_range.start), inner_height / (y_range.end - y_range.start)]

const {event_name: event} = cb_obj
if (event === "mousemove" && !hand.path) { return } // no drag
if (event === "panstart" || event === "press") {
  const [across, upwards] = px(figure)
  const {x, y} = cb_obj
  const near = present().some((one) => (
    Math.hypot((one[0] - x) * across, (one[1] - y) * upwards) < NEAR))
  hand.path = near ? null : [[x, y]]
  hand.before = JSON.stringify(present())
  hand.moved = false
  // Bokeh says nothing of it after a press. It is one listener, however many drags there were.
  window.addEventListener("pointercancel", hand.forget, {once: true})
}
if (event === "pan" || event === "mousemove") { hand.moved = true }
// A fast drag may have left its point before it counts as one: the tool has moved it all the same.
if (JSON.stringify(present()) !== hand.before) { hand.path = null }
if (hand.path && Number.isFinite(cb_obj.x)) { hand.path.push([cb_obj.x, cb_obj.y]) }
if (event === "panend" || event === "pressup") {
  if (hand.path && hand.moved) {
    const pairs = withPath(hand.path)
    points.data = {x: pairs.map(([x]) => x), y: pairs.map(([, y]) => y)}
  }
  hand.path = null
} else {
  show(hand.path ? withPath(hand.path) : present())
}
