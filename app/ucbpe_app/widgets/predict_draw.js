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

const CROSS = "M-4.5-4.5l9 9m0-9l-9 9" // a measurement
const SAMPLES = 160 // points of a drawn curve

// A question whose arrays are lists: those of Bokeh cannot be mapped to texts.
const listed = (ask) => ({...ask, x: [...ask.x], results: {x: [...ask.results.x], y: [...ask.results.y]},
  ...ask.curve ? {curve: [...ask.curve]} : {}})

// The kind of question that is answered by a curve: `ask.of` is what it is to be. Its mark has a value
// for each handle, null where nothing was drawn.
function createDraw() {
  let stage = null
  let ask = null
  let act = null
  let slider = null
  let chosen = (HANDLES - 1) / 2 // the handle that keys move
  let from = null // the handle that the pointer has set last
  let mark = null
  const plot = () => stage.plot("function")
  const word = (name, facts) => stage.word(`draw.${name}`, facts)
  const handles = () => handlesOver(ask.x)
  const placeOf = (x) => `${ask.name} = ${coordinates([x], ask.extents)}`

  const bounded = (value) => {
    const [low, high] = plot().upwards
    return Math.min(Math.max(value, low), high)
  }

  // Values of the handles `first` to `last`, straight between both.
  function set(first, last, [start, end]) {
    const values = mark ? [...mark] : Array(HANDLES).fill(null)
    const steps = Math.abs(last - first) || 1
    for (let i = 0; i <= Math.abs(last - first); i += 1) {
      values[first + Math.sign(last - first) * i] = bounded(start + (end - start) * i / steps)
    }
    values[last] = bounded(end)
    act({do: "mark", mark: values})
  }

  function onPointer(event) {
    if (event.type === "pointerdown") {
      slider.setPointerCapture(event.pointerId)
      slider.focus({preventScroll: true, focusVisible: false})
      from = null
    } else if (!slider.hasPointerCapture(event.pointerId)) { return }
    const box = slider.getBoundingClientRect()
    const {left, right, x, valueAt} = plot()
    const [first, last] = [x(ask.x[0]), x(ask.x.at(-1))]
    const across = left + (right - left) * (event.clientX - box.left) / box.width
    const nearest = Math.round((HANDLES - 1) * (across - first) / (last - first))
    chosen = Math.min(Math.max(nearest, 0), HANDLES - 1)
    const value = valueAt((event.clientY - box.top) / box.height)
    from ??= chosen
    set(from, chosen, [from === chosen ? value : mark[from], value])
    from = chosen
  }

  function onKey(event) {
    const {key} = event
    const move = {ArrowUp: 1, ArrowDown: -1}[key]
    const step = {ArrowLeft: -1, ArrowRight: 1, Home: -HANDLES, End: HANDLES}[key]
    const actions = {
      Enter: {do: "next"}, PageDown: {do: "next"}, PageUp: {do: "back"}, s: {do: "skip"}, Escape: {do: "unmark"},
    }
    if (event.ctrlKey || event.altKey || event.metaKey || !(move || step || key in actions)) { return }
    event.preventDefault()
    event.stopPropagation()
    if (move) {
      const [low, high] = plot().upwards
      const now = wholeStroke(mark ?? [])?.[chosen] ?? nearestValue(handles()[chosen])
      set(chosen, chosen, [0, now + move * (high - low) / KEY_STEPS])
    } else if (step) {
      chosen = Math.min(Math.max(chosen + step, 0), HANDLES - 1)
      draw(mark)
    } else { act(actions[key]) }
  }

  // What is on screen before the event: where a stroke by keys begins.
  const nearestValue = (x) => ask.before[ask.x.findIndex((one) => one >= x - 1e-9)]

  function start(onStage, of, changed) {
    [stage, ask, act] = [onStage, listed(of), changed]
    if (!act) { return }
    slider = htmlNode("div", "slider stroke")
    for (const [name, value] of Object.entries({
      "role": "slider", "tabindex": 0, "aria-label": ask.text, "data-keeps": "", "aria-orientation": "vertical",
    })) { slider.setAttribute(name, value) }
    slider.addEventListener("keydown", onKey)
    for (const name of ["pointerdown", "pointermove"]) { slider.addEventListener(name, onPointer) }
    stage.layer.append(slider)
  }

  function draw(drawn, of = ask) {
    [mark, ask] = [drawn, listed(of)]
    const {left, top, width, height, upwards: [low, high]} = plot()
    Object.assign(slider.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`})
    const whole = mark && wholeStroke(mark)
    const place = placeOf(handles()[chosen])
    const value = whole ? word("value", {place, value: number(whole[chosen])}) : word("empty", {place})
    const now = whole?.[chosen] ?? nearestValue(handles()[chosen])
    for (const [name, one] of Object.entries({valuetext: value, valuenow: now, valuemin: low, valuemax: high})) {
      slider.setAttribute(`aria-${name}`, one)
    }
    stage.titleOver(plot(), ask.text, stage.wide ? word("how") : "")
    stage.note(word(`turn.${ask.of}`), word("do"))
    stage.svg.replaceChildren(veil(), ...whole ? [...stroke(whole), ...dots(whole)] : [], ...crosses())
    name(whole)
  }

  // What was known before is paler.
  const veil = () => {
    const {left, top, width, height} = plot()
    return svgNode("rect", {class: "veil", x: left, y: top, width, height})
  }

  const crosses = () => ask.results.x.map((x, i) => svgNode("path", {
    class: "result", d: CROSS, transform: `translate(${plot().x(x)} ${plot().y(ask.results.y[i])})`}))

  const pathOf = (x, y) => `M${x.map((one, i) => `${plot().x(one)} ${plot().y(y[i])}`).join("L")}`

  function stroke(whole) {
    const [start, end] = [ask.x[0], ask.x.at(-1)]
    const x = Array.from({length: SAMPLES + 1}, (_, i) => start + (end - start) * i / SAMPLES)
    const d = pathOf(x, joinedStroke(handles(), whole, x))
    return [svgNode("path", {class: "stroke casing", d}), svgNode("path", {class: "stroke", d})]
  }

  const dots = (whole) => handles().map((x, i) => svgNode("circle", {
    class: `handle${i === chosen ? " chosen" : ""}`, cx: plot().x(x), cy: plot().y(whole[i]), r: i === chosen ? 7.5 : 5.5}))

  const name = (whole) => {
    const {top, height, y} = plot()
    const at = whole && 1 - (y(whole.at(-1)) - top) / height
    stage.labels("function", whole ? [{text: word("name"), role: "you", place: "end", strong: true, meaning: "", x: 1, y: at}] : [])
  }

  // The bracket stands where the two are furthest apart, its number on the side where they stay so.
  function bracket({own, most, largest}) {
    const {x, y} = plot()
    const [at, one, other] = [x(ask.x[most]), y(own[most]), y(ask.curve[most])]
    const end = stage.large ? 8 : 6
    const gapAt = (px) => {
      const i = ask.x.findIndex((value) => x(value) >= px)
      return i > 0 ? Math.abs(y(own[i]) - y(ask.curve[i])) : 0
    }
    const beside = gapAt(at - 44) > gapAt(at + 44) ? -1 : 1
    return [
      svgNode("path", {class: "bracket", d: `M${at - end} ${one}h${2 * end}M${at - end} ${other}h${2 * end}M${at} ${one}V${other}`}),
      svgNode("text", {"x": at + beside * 12, "y": (one + other) / 2 + 4, "text-anchor": beside > 0 ? "start" : "end"}, number(largest)),
    ]
  }

  function gap(drawn, of) {
    ask = listed(of)
    if (drawn === null) { return }
    stage.layer.classList.add("gap")
    const whole = wholeStroke(drawn)
    const found = strokeGap(whole, ask)
    const facts = {
      average: number(found.average), largest: number(found.largest), place: placeOf(ask.x[found.most]),
      share: percent(found.share ?? 0),
    }
    const apart = [word("apart", facts), ask.done].filter((text) => text).join(" ")
    const head = found.share === null ? word(`shaded.${ask.of}`) : word("within", facts)
    const between = `${pathOf(ask.x, found.own)}L${pathOf([...ask.x].reverse(), [...ask.curve].reverse()).slice(1)}Z`
    if (stage.note(head, apart)) { stage.title("") }
    else { stage.titleOver(plot(), word(`narrow.${ask.of}`, facts), "") }
    stage.say(`${apart} ${head}`)
    stage.svg.replaceChildren(svgNode("path", {class: "between", d: between}), ...stroke(whole),
      svgNode("path", {class: "expected", d: pathOf(ask.x, ask.curve)}), ...bracket(found), ...crosses())
    name(whole)
  }

  return {start, draw, gap, clear: () => { slider?.remove() }}
}
