// Measurements that a person drags to another value or leaves out, in the figure of a function of one
// input. They are `moved` as a list of [number, value], null for one left out, by ascending number.

const NEAR = 10 // px from the middle of a cross

// Bokeh takes the second of two clicks within 300 ms, wherever they are, for a double click.
export const onClick = (figure, act) => {
  for (const name of ["tap", "doubletap"]) { figure.on_event(name, act) }
}

// Calls `start` and `move` with the events of a drag, and `end`. A pointer that rests for 300 ms before
// it moves is a press to Bokeh, which then tells where it is moved and no more.
export function onDrag(figure, {start, move, end}) {
  let pressed = null // the press that no move has followed yet
  let dragging = false // whether a press is dragged
  const release = () => {
    if (dragging) { end() }
    pressed = null
    dragging = false
  }
  figure.on_event("panstart", start)
  figure.on_event("pan", move)
  figure.on_event("panend", end)
  figure.on_event("press", (event) => {
    pressed = event
    window.addEventListener("pointercancel", release, {once: true}) // of which Bokeh says nothing
  })
  figure.on_event("mousemove", (event) => {
    if (pressed) { start(pressed) }
    dragging ||= pressed !== null
    pressed = null
    if (dragging) { move(event) }
  })
  figure.on_event("pressup", release)
}

export const moveTo = (moved, number, y) => (
  [...moved.filter(([one]) => one !== number), [number, y]].sort(([one], [other]) => one - other))

// That of a row of the marks "data", of all that count, or "as_measured", of those moved.
function numberOf(mark, row, moved) {
  if (mark === "as_measured") { return moved[row][0] }
  const gone = new Set(moved.filter(([, y]) => y === null).map(([number]) => number))
  let number = -1
  for (let left = row; left >= 0; left--) {
    do { number += 1 } while (gone.has(number))
  }
  return number
}

// The mark and row at a place, what is measured before what was moved; or undefined.
function hit(figure, {x, y}) {
  const scales = [[figure.x_range, figure.inner_width], [figure.y_range, figure.inner_height]]
    .map(([{start, end}, length]) => length / Math.abs(end - start))
  const found = ["data", "as_measured"].map((mark) => {
    const {data_source} = figure.renderers.find((one) => one.data_source.name === mark)
    const [xs, ys] = ["x", "y"].map((name) => data_source.get(name))
    const far = Array.from(xs, (one, i) => (
      Math.hypot((one - x) * scales[0], (ys[i] - y) * scales[1])))
    return {mark, row: far.indexOf(Math.min(...far)), far: Math.min(...far)}
  })
  return found.find(({far}) => far <= NEAR)
}

// Calls `act.start(number)`, `act.drag(y)` and `act.end()` while a measurement is dragged, and for a
// click `act.press(number, whether it is to be as it was measured)`, or `act.miss` where there is none.
export function listenToMeasurements(figure, movedNow, act) {
  let dragged = false
  onDrag(figure, {
    start: (event) => {
      const at = hit(figure, event)
      dragged = at?.mark === "data"
      if (dragged) { act.start(numberOf(at.mark, at.row, movedNow())) }
    },
    move: ({y}) => { if (dragged && Number.isFinite(y)) { act.drag(y) } },
    end: () => {
      if (dragged) { act.end() }
      dragged = false
    },
  })
  onClick(figure, (event) => {
    const at = Number.isFinite(event.y) ? hit(figure, event) : undefined
    if (at) { act.press(numberOf(at.mark, at.row, movedNow()), at.mark === "as_measured") }
    else { act.miss?.(event) }
  })
}
