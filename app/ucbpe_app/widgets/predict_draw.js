// A curve that a person draws over the picture, as what they expect, and the gap to what came out. It is
// straight from point to point, and each point is a slider of its own for keys and screen readers.

const POINTS = 13 // at even x

// The curve with these values at even x, at the places x, which go from its first to its last.
export function joinedStroke(values, x) {
  const last = values.length - 1
  return Array.from(x, (one) => {
    const at = last * (one - x[0]) / (x.at(-1) - x[0])
    const i = Math.min(Math.floor(at), last - 1)
    return values[i] + (values[i + 1] - values[i]) * (at - i)
  })
}

// How far a stroke is from the line `curve` over x: on average, and where most; the share of x at
// which it is within the band, if there is one.
export function strokeGap(stroke, {x, curve, lower, upper}) {
  const own = joinedStroke(stroke, x)
  const gaps = own.map((one, i) => Math.abs(one - curve[i]))
  const largest = Math.max(...gaps)
  const within = lower && own.filter((one, i) => lower[i] <= one && one <= upper[i]).length
  return {
    own, most: gaps.indexOf(largest), largest, average: gaps.reduce((sum, one) => sum + one, 0) / x.length,
    share: lower ? within / x.length : null,
  }
}

const CROSS = "M-4.5-4.5l9 9m0-9l-9 9" // a measurement

// The kind of question that is answered by a curve: `ask.of` is what it is to be. Its mark has a value
// for each point; as long as there is none, they are on the line that is on screen.
function createDraw(stage, act) {
  let ask = null
  let from = 0 // the point that the pointer has set last
  const plot = () => stage.plot("function")
  const word = (name, facts) => stage.word(`draw.${name}`, facts)
  const placeOf = (x) => `${ask.name} = ${coordinates([x], ask.extents)}`
  const places = () => Array.from({length: POINTS}, (_, i) => ask.x[0] + (ask.x.at(-1) - ask.x[0]) * i / (POINTS - 1))
  const changed = () => act({do: "mark", mark: sliders.map((one) => one.valueAsNumber)})
  const {sliders, cover} = stage.field(act ? POINTS : 0, {act, changed, pointed})

  // The pointer takes the points that it passes along.
  function pointed(px, py, isFirst) {
    const {x, valueAt} = plot()
    const [first, last] = [x(ask.x[0]), x(ask.x.at(-1))]
    const to = Math.round(Math.min(Math.max((px - first) / (last - first), 0), 1) * (POINTS - 1))
    if (isFirst) { from = to }
    const [start, end, steps] = [sliders[from].valueAsNumber, valueAt(py), Math.abs(to - from)]
    for (let i = 1; i < steps; i += 1) { sliders[from + Math.sign(to - from) * i].value = start + (end - start) * i / steps }
    sliders[to].value = end
    sliders[to].focus({preventScroll: true, focusVisible: false})
    from = to
    changed()
  }

  function draw(mark, of) {
    ask = of
    const [low, high] = plot().upwards
    places().forEach((x, i) => {
      const value = mark ? mark[i] : ask.before[ask.x.findIndex((one) => one >= x - 1e-9)]
      const place = placeOf(x)
      const told = mark ? word("value", {place, value: number(value)}) : word("empty", {place})
      stage.set(sliders[i], {min: low, max: high, value, name: place, told})
    })
    cover(ask.text, plot(), plot())
    stage.title(plot(), ask.text, stage.wide ? word("how") : "")
    stage.note(word(`turn.${ask.of}`), word("do"))
    stage.svg.replaceChildren(veil(), ...mark ? stroke(mark) : [], ...dots(mark), ...crosses())
    name(mark)
  }

  // What was known before is paler.
  const veil = () => {
    const {left, top, width, height} = plot()
    return svgNode("rect", {class: "veil", x: left, y: top, width, height})
  }
  const crosses = () => Array.from(ask.results.x, (x, i) => svgNode("path", {
    class: "result", d: CROSS, transform: `translate(${plot().x(x)} ${plot().y(ask.results.y[i])})`}))
  const points = (x, y) => Array.from(x, (one, i) => `${plot().x(one)} ${plot().y(y[i])}`)
  const stroke = (mark) => cased(svgNode("path", {class: "stroke", d: `M${points(places(), mark).join("L")}`}))
  const dots = () => places().map((x, i) => svgNode("circle", {
    class: sliders[i].matches(":focus") ? "handle chosen" : "handle", cx: plot().x(x), cy: plot().y(sliders[i].valueAsNumber), r: 5.5}))
  const name = (mark) => stage.labels("function", mark ? [stage.label(plot(), plot().y(mark.at(-1)), word("name"), "you")] : [])

  // Where the two are furthest apart.
  function bracket({own, most, largest}) {
    const {x, y, right} = plot()
    const [at, one, other] = [x(ask.x[most]), y(own[most]), y(ask.curve[most])]
    const end = stage.large ? 8 : 6
    const beside = right - at < 60 ? -1 : 1
    return [
      svgNode("path", {class: "bracket", d: `M${at - end} ${one}h${2 * end}M${at - end} ${other}h${2 * end}M${at} ${one}V${other}`}),
      svgNode("text", {"x": at + beside * 12, "y": (one + other) / 2 + 4, "text-anchor": beside > 0 ? "start" : "end"}, number(largest)),
    ]
  }

  function gap(mark, of) {
    ask = of
    if (mark === null) { return }
    const found = strokeGap(mark, ask)
    const facts = {
      average: number(found.average), largest: number(found.largest), place: placeOf(ask.x[found.most]),
      share: percent(found.share ?? 0),
    }
    const apart = `${word("apart", facts)} ${ask.done}`.trim()
    const head = found.share === null ? word(`shaded.${ask.of}`) : word("within", facts)
    stage.title(plot(), stage.note(head, apart) ? "" : word(`narrow.${ask.of}`, facts))
    stage.say(`${apart} ${head}`)
    const curve = points(ask.x, ask.curve)
    stage.svg.replaceChildren(
      svgNode("path", {class: "between", d: `M${points(ask.x, found.own).join("L")}L${[...curve].reverse().join("L")}Z`}),
      ...stroke(mark), svgNode("path", {class: "expected", d: `M${curve.join("L")}`}), ...bracket(found), ...crosses())
    name(mark)
  }

  return {draw, gap}
}
