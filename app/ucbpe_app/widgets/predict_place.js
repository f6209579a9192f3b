// The kind of question that is answered by a place: a pin in the ink of the page, and after the pick
// the distance to it, and where the place is between the least and the greatest value of the criterion.

const PIN = "M0 0C-3-7-9-11-9-17a9 9 0 1 1 18 0c0 6-6 10-9 17z" // its foot is the place
const NEAR = 110 // px from the right edge: there the name of the pin stands left of it
const FITS = 60 // px of a bracket that has its text above it
const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}
const BEYOND = 1e9 // px: further than all places

// How far up a candidate is from the least to the greatest value: `Criterion.share`.
function shareOf({values, least, largest}, mark) {
  if (Number.isNaN(values[mark])) { return 0 }
  return largest > least ? (values[mark] - least) / (largest - least) : 1
}

const lowest = (costs) => costs.indexOf(Math.min(...costs))

function createPlace(stage, act) {
  let ask = null
  let order = [] // candidates by x
  const isMap = () => ask.y.length > 0
  const main = () => stage.main()
  const foot = () => (isMap() ? main() : stage.plot("std") ?? main())
  const put = (mark) => act({do: "mark", mark})
  const {sliders: [slider], field, cover} = stage.field(act ? 1 : 0, {
    act, changed: () => put(order[slider.value]),
    pointed: (x, y) => {
      slider.focus({preventScroll: true, focusVisible: false})
      put(lowest(points().map(([left, top]) => Math.hypot(left - x, top - y))))
    },
  })
  field.addEventListener("keydown", (event) => {
    const step = STEPS[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) { return }
    event.preventDefault()
    const mark = order[slider.value]
    put(slider.dataset.mark ? stepped(mark, step, event.shiftKey ? 10 : 1) : mark)
  })

  const inputs = (mark) => (ask.names.length === 2 ? [ask.x[mark], ask.y[mark]] : [ask.x[mark]])
  const placeOf = (mark) => (ask.names.length === 0 ? stage.word("candidate", {n: mark})
    : `${ask.names.length === 1 ? ask.names[0] : "x"} = ${coordinates(inputs(mark), ask.extents)}`)
  // All candidates, in px of the layer.
  const points = () => {
    const {x, y, bottom} = main()
    return Array.from(ask.x, (one, i) => [x(one), isMap() ? y(ask.y[i]) : bottom])
  }

  // From a candidate along an input: to the nearest that lies that way, so many times.
  function stepped(mark, [dx, dy], times) {
    const [all, across] = [points(), dx || !isMap()]
    let now = mark
    for (let i = 0; i < times; i += 1) {
      const [x, y] = all[now]
      now = lowest(all.map(([left, top], other) => {
        const [ahead, beside] = across ? [(left - x) * (dx || dy), Math.abs(top - y)] : [(y - top) * dy, Math.abs(left - x)]
        return other === now ? BEYOND : ahead > 0.01 && beside <= ahead ? ahead + 3 * beside : Infinity
      }))
    }
    return now
  }

  function draw(mark, of) {
    ask = of
    order = [...ask.x.keys()].sort((i, j) => ask.x[i] - ask.x[j] || ask.y[i] - ask.y[j])
    const [{mean, std}, name] = [ask, stage.word(ask.question.slice(4))]
    const at = mark === null ? Math.floor(order.length / 2) : order.indexOf(mark)
    const told = mark === null ? stage.word("need")
      : stage.word("value", {place: placeOf(mark), mean: number(mean[mark]), std: number(std[mark])})
    stage.set(slider, {min: 0, max: order.length - 1, value: at, name, told})
    slider.step = 1
    slider.dataset.mark = mark ?? ""
    cover(name, main(), foot())
    stage.title(main(), name, stage.word(stage.wide ? "how" : "how.short"))
    stage.note(stage.word("turn"), stage.word("do"))
    stage.svg.replaceChildren(...mark === null ? [] : pinOf(mark))
  }

  // The pin at the foot of the function, and on a curve a line through all plots.
  function pinOf(mark) {
    const [top, below, size] = [main(), foot(), stage.large ? 1.5 : 1]
    const [x, y] = points()[mark]
    const name = stage.word("mark", {place: placeOf(mark)})
    const left = x > top.right - NEAR * size || (!stage.wide && x > top.left + NEAR)
    const pin = svgNode("g", {class: "pin", transform: `translate(${x} ${y}) scale(${size})`})
    pin.append(svgNode("path", {d: PIN}), svgNode("circle", {cy: -17, r: 3.5}))
    const text = svgNode("text", {"x": x + (left ? -14 : 14) * size, "y": y - 10 * size, "text-anchor": left ? "end" : "start"}, name)
    const line = svgNode("line", {class: "dashed", x1: x, x2: x, y1: top.top, y2: below.bottom})
    return [...isMap() ? [] : cased(line), pin, text]
  }

  // The line of the pin in a plot, for its labels to keep clear of.
  const lineIn = ({x, left, width}, mark) => (
    isMap() || mark === null ? [] : [{place: "line", x: (x(ask.x[mark]) - left) / width}])

  // What the words of a gap begin with: its plot's own text, if there is one.
  const wordOf = (name, facts) => {
    const own = [`${name}.${ask.plot}`, ask.sign < 0 ? `${name}.minimize` : name, name]
    return stage.word(own.find((one) => stage.has(one)), facts)
  }

  // How a place compares with the pick, in a few words.
  function verdict(mark, facts) {
    const {values, pick, largest, tolerance, grouped} = ask
    if (mark === pick) { return stage.word("same") }
    if (!values.length) { return stage.word("none", facts) }
    if (Number.isNaN(values[mark])) { return stage.word(grouped ? "elsewhere" : "ruled_out") }
    return values[mark] >= largest - tolerance ? stage.word("tie") : wordOf("share", facts)
  }

  function gap(mark, of, {before, tell}) {
    ask = of
    const {values, pick, sign} = ask
    const inWords = (value) => number(sign * value)
    const facts = {name: ask.name, least: inWords(ask.least), largest: inWords(ask.largest)}
    const isIn = mark !== null && values.length > 0 && !Number.isNaN(values[mark])
    const isApart = mark !== null && mark !== pick && ask.names.length > 0
    let [head, more] = ["", []]
    if (mark !== null) {
      const share = values.length ? shareOf(ask, mark) : null
      const [here, there] = [inputs(mark), inputs(pick)]
      facts.distance = number(Math.hypot(...here.map((one, i) => one - there[i])))
      Object.assign(facts, {share: percent(share ?? 0), value: isIn ? inWords(values[mark]) : ""})
      head = verdict(mark, facts)
      more = [isIn && wordOf("value_of", facts), share !== null && wordOf("from", facts),
        before && stage.word("before", {pick: before.pick, share: percent(before.share)})]
      if (share !== null) { tell(share) }
      stage.say(isApart ? `${head} ${stage.word("apart", facts)}.` : head)
    }
    for (const one of stage.names) { stage.labels(one, lineIn(stage.plot(one), mark)) }
    stage.title(main(), stage.note(head, more.filter((one) => one).join(" ")) ? "" : head)
    stage.svg.replaceChildren(...mark === null ? [] : pinOf(mark), ...isApart ? apart(mark, facts) : [],
      ...isIn || (mark !== null && mark === pick) ? ring(mark) : [], ...gauge(isIn ? mark : null, facts))
  }

  // Heights of the std are its roots: `pictures/curve.py`.
  const heightOf = (plot, value) => plot.y(ask.plot === "std" ? Math.sqrt(value) : ask.sign * value)

  // Where the criterion is as high as it is at the place; on a map, the place.
  function ring(mark) {
    const plot = isMap() ? main() : stage.plot(ask.plot)
    if (!plot) { return [] }
    const [x, y] = points()[mark]
    return [svgNode("circle", {class: "ring", cx: x, cy: isMap() ? y : heightOf(plot, ask.values[mark]), r: stage.large ? 8 : 5.5})]
  }

  // The distance on the axis; on a map, a line from place to pick.
  function apart(mark, facts) {
    const text = stage.word("apart", facts)
    const {bottom} = foot()
    const [[x, y], [to, level]] = [points()[mark], points()[ask.pick]]
    if (isMap()) {
      return [...cased(svgNode("line", {class: "dashed", x1: x, x2: to, y1: y, y2: level})),
        svgNode("text", {"x": (x + to) / 2, "y": (y + level) / 2 - 8, "text-anchor": "middle"}, text)]
    }
    const end = stage.large ? 8 : 6
    const path = `M${x} ${bottom - end}v${2 * end}M${to} ${bottom - end}v${2 * end}M${x} ${bottom}H${to}`
    const fits = FITS * (stage.large ? 1.5 : 1)
    const wide = Math.abs(to - x) >= fits
    const beside = Math.max(x, to) + fits + 16 < stage.layer.clientWidth // of the picture: else left of the bracket
      ? [Math.max(x, to) + 8, "start"] : [Math.min(x, to) - 8, "end"]
    const [place, anchor] = wide ? [(x + to) / 2, "middle"] : beside
    const at = {"x": place, "y": bottom - 9, "text-anchor": anchor}
    return [svgNode("path", {class: "bracket", d: path}), svgNode("text", at, text)]
  }

  // Beside the plot of the criterion, from the least to the greatest value, with labels in their column.
  function gauge(mark, facts) {
    const plot = stage.plot(ask.plot)
    const isThere = plot && !isMap() && ask.values.length > 0 && stage.wide
    if (!isThere) { return [] }
    const [low, high, own] = [ask.least, ask.largest, ask.values[mark]].map((value) => heightOf(plot, value))
    const [x, width] = [plot.right + 3, stage.large ? 10 : 7]
    const box = (name, to) => svgNode("rect", {class: name, x, y: Math.min(low, to), width, height: Math.abs(to - low)})
    const labels = [[low, "gauge.least", ""], [high, "gauge.largest", ask.plot === "std" ? "pe" : "ucb"],
      ...mark === null ? [] : [[own, "gauge", "told-by-you"]]]
    const told = labels.map(([y, name, role]) => stage.label(plot, y, wordOf(name, facts), role))
    stage.labels(ask.plot, [...told, ...lineIn(plot, mark)])
    return [box("gauge", high), ...mark === null ? [] : [box("filled", own),
      svgNode("line", {class: "level", x1: plot.x(ask.x[mark]), x2: x, y1: own, y2: own})]]
  }

  return {draw, gap, placeOf}
}
