// The kind of question that is answered by a place: a pin in the ink of the page, and after the pick
// the distance to it, and where the place is between the least and the greatest value of the criterion.

const PIN = "M0 0C-3-7-9-11-9-17a9 9 0 1 1 18 0c0 6-6 10-9 17z" // its foot is the place
const NEAR = 110 // px from the right edge: there the name of the pin stands left of it
const FITS = 60 // px of a bracket that has its text above it
const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}

// How far up a candidate is from the least to the greatest value: `Criterion.share`.
function shareOf({values, least, largest}, mark) {
  if (Number.isNaN(values[mark])) { return 0 }
  return largest > least ? (values[mark] - least) / (largest - least) : 1
}

function createPlace() {
  let stage = null
  let ask = null
  let act = null
  let slider = null
  let order = [] // candidates by x
  const isMap = () => ask.y.length > 0
  const main = () => stage.main()
  const foot = () => (isMap() ? main() : stage.plot("std") ?? main())

  const inputs = (mark) => (ask.names.length === 2 ? [ask.x[mark], ask.y[mark]] : [ask.x[mark]])
  const placeOf = (mark) => (ask.names.length === 0 ? stage.word("candidate", {n: mark})
    : `${ask.names.length === 1 ? ask.names[0] : "x"} = ${coordinates(inputs(mark), ask.extents)}`)
  const pointOf = (mark) => {
    const plot = main()
    return [plot.x(ask.x[mark]), isMap() ? plot.y(ask.y[mark]) : plot.bottom]
  }

  // The candidate that is nearest to a place of the layer, in px.
  function nearest(px, py) {
    const plot = main()
    let [best, least] = [0, Infinity]
    for (let i = 0; i < ask.x.length; i += 1) {
      const away = Math.hypot(plot.x(ask.x[i]) - px, isMap() ? plot.y(ask.y[i]) - py : 0)
      if (away < least) { [best, least] = [i, away] }
    }
    return best
  }

  // From a candidate along the inputs: to the nearest that lies that way, so many times.
  function stepped(mark, [dx, dy], times) {
    if (!isMap()) {
      const place = order.indexOf(mark) + (dx || dy) * times
      return order[Math.min(Math.max(place, 0), order.length - 1)]
    }
    const plot = main()
    let now = mark
    for (let i = 0; i < times; i += 1) {
      const [x, y] = pointOf(now)
      let [best, least] = [now, Infinity]
      for (let other = 0; other < ask.x.length; other += 1) {
        const [along, off] = [plot.x(ask.x[other]) - x, y - plot.y(ask.y[other])]
        const [ahead, beside] = dx ? [along * dx, Math.abs(off)] : [off * dy, Math.abs(along)]
        const cost = ahead + 3 * beside
        if (ahead > 0.5 && beside <= ahead && cost < least) { [best, least] = [other, cost] }
      }
      now = best
    }
    return now
  }

  function onKey(event) {
    const {key} = event
    const mark = Number(slider.dataset.mark ?? NaN)
    const from = Number.isNaN(mark) ? order[Math.floor(order.length / 2)] : mark
    const actions = {
      Enter: () => act({do: "next"}), PageDown: () => act({do: "next"}), PageUp: () => act({do: "back"}),
      s: () => act({do: "skip"}), Escape: () => act({do: "unmark"}),
      Home: () => act({do: "mark", mark: order[0]}), End: () => act({do: "mark", mark: order.at(-1)}),
    }
    const step = STEPS[key]
    if (event.ctrlKey || event.altKey || event.metaKey || !(step || key in actions)) { return }
    event.preventDefault()
    event.stopPropagation()
    if (step) {
      act({do: "mark", mark: Number.isNaN(mark) ? from : stepped(from, step, event.shiftKey ? 10 : 1)})
    } else { actions[key]() }
  }

  function onPointer(event) {
    if (event.type === "pointerdown") {
      slider.setPointerCapture(event.pointerId)
      slider.focus({preventScroll: true})
    } else if (!slider.hasPointerCapture(event.pointerId)) { return }
    const {left, top} = stage.layer.getBoundingClientRect()
    act({do: "mark", mark: nearest(event.clientX - left, event.clientY - top)})
  }

  function start(onStage, of, changed) {
    [stage, ask, act] = [onStage, of, changed]
    order = [...ask.x.keys()].sort((i, j) => ask.x[i] - ask.x[j] || ask.y[i] - ask.y[j])
    if (!act) { return }
    slider = htmlNode("div", "slider")
    for (const [name, value] of Object.entries({
      "role": "slider", "tabindex": 0, "aria-label": stage.word(ask.question.slice(4)), "data-keeps": "",
      "aria-valuemin": 0, "aria-valuemax": order.length - 1,
    })) { slider.setAttribute(name, value) }
    slider.addEventListener("keydown", onKey)
    for (const name of ["pointerdown", "pointermove"]) { slider.addEventListener(name, onPointer) }
    stage.layer.append(slider)
  }

  function draw(mark) {
    const [top, below] = [main(), foot()]
    Object.assign(slider.style, {left: `${top.left}px`, top: `${top.top}px`, width: `${top.width}px`, height: `${below.bottom - top.top}px`})
    if (mark === null) { delete slider.dataset.mark } else { slider.dataset.mark = mark }
    const {mean, std} = ask
    const value = mark === null ? stage.word("need")
      : stage.word("value", {place: placeOf(mark), mean: number(mean[mark]), std: number(std[mark])})
    slider.setAttribute("aria-valuenow", mark === null ? 0 : order.indexOf(mark))
    slider.setAttribute("aria-valuetext", value)
    stage.titleOver(top, stage.word(ask.question.slice(4)), stage.word(stage.wide ? "how" : "how.short"))
    stage.note(stage.word("turn"), stage.word("do"))
    stage.svg.replaceChildren(...mark === null ? [] : pinOf(mark))
  }

  // The pin at the foot of the function, and on a curve a line through all plots.
  function pinOf(mark) {
    const [top, below, size] = [main(), foot(), stage.large ? 1.5 : 1]
    const [x, y] = pointOf(mark)
    const name = stage.word("mark", {place: placeOf(mark)})
    const left = x > top.right - NEAR * size || (!stage.wide && x > top.left + NEAR)
    const pin = svgNode("g", {class: "pin", transform: `translate(${x} ${y}) scale(${size})`})
    pin.append(svgNode("path", {d: PIN}), svgNode("circle", {cy: -17, r: 3.5}))
    const text = svgNode("text", {"x": x + (left ? -14 : 14) * size, "y": y - 10 * size, "text-anchor": left ? "end" : "start"}, name)
    const line = svgNode("line", {class: "dashed", x1: x, x2: x, y1: top.top, y2: below.bottom})
    return [...isMap() ? [] : casedLine(line), pin, text]
  }

  const casedLine = (line) => {
    const casing = line.cloneNode()
    casing.setAttribute("class", "casing")
    return [casing, line]
  }

  // What the words of a gap begin with: its plot's own text, if there is one.
  const wordOf = (name, facts) => {
    const own = [`${name}.${ask.plot}`, ask.sign < 0 ? `${name}.minimize` : name, name]
    return stage.word(own.find((one) => stage.has(one)), facts)
  }

  function gap(mark, of, {before, tell}) {
    ask = of
    stage.layer.classList.add("gap")
    const {values, pick, sign, least, largest, tolerance} = ask
    const inWords = (value) => number(sign * value)
    const facts = {name: ask.name, least: inWords(least), largest: inWords(largest)}
    const nodes = []
    let [head, more] = ["", ""]
    if (mark !== null) {
      const share = values.length ? shareOf(ask, mark) : null
      const isIn = values.length > 0 && !Number.isNaN(values[mark])
      const away = Math.hypot(...ask.names.length === 2 ? [ask.x[mark] - ask.x[pick], ask.y[mark] - ask.y[pick]] : [ask.x[mark] - ask.x[pick]])
      Object.assign(facts, {share: percent(share ?? 0), value: isIn ? inWords(values[mark]) : "", distance: number(away)})
      head = mark === pick ? stage.word("same")
        : share === null ? stage.word("none", facts)
          : !isIn ? stage.word(ask.grouped ? "elsewhere" : "ruled_out")
            : values[mark] >= largest - tolerance ? stage.word("tie") : wordOf("share", facts)
      more = [isIn ? wordOf("value_of", facts) : "", share === null ? "" : wordOf("from", facts),
        before ? stage.word("before", {pick: before.pick, share: percent(before.share)}) : ""].filter((text) => text).join(" ")
      if (share !== null) { tell(share) }
      nodes.push(...pinOf(mark))
      if (mark !== pick && ask.names.length) { nodes.push(...apart(mark, facts)) }
      if (isIn || mark === pick) { nodes.push(...ring(mark)) }
      const spoken = mark !== pick && ask.names.length ? `${head} ${stage.word("apart", facts)}.` : head
      stage.say(spoken)
    }
    stage.labels(ask.plot, gauge(mark, facts, nodes))
    const isTold = stage.note(head, more)
    stage.titleOver(main(), isTold ? "" : head, "")
    stage.svg.replaceChildren(...nodes)
  }

  // Heights of the std are its roots: `pictures/curve.py`.
  const heightOf = (plot, value) => plot.y(ask.plot === "std" ? Math.sqrt(value) : ask.sign * value)

  // Where the criterion is as high as it is at the place; on a map, the place.
  function ring(mark) {
    const plot = isMap() ? main() : stage.plot(ask.plot)
    if (!plot) { return [] }
    const y = isMap() ? pointOf(mark)[1] : heightOf(plot, ask.values[mark])
    return [svgNode("circle", {class: "ring", cx: plot.x(ask.x[mark]), cy: y, r: stage.large ? 8 : 5.5})]
  }

  // The distance on the axis; on a map, a line from place to pick.
  function apart(mark, facts) {
    const text = stage.word("apart", facts)
    const below = foot()
    const [x, y] = pointOf(mark)
    const [to, level] = pointOf(ask.pick)
    if (isMap()) {
      return [...casedLine(svgNode("line", {class: "dashed", x1: x, x2: to, y1: y, y2: level})),
        svgNode("text", {"x": (x + to) / 2, "y": (y + level) / 2 - 8, "text-anchor": "middle"}, text)]
    }
    const end = stage.large ? 8 : 6
    const path = `M${x} ${below.bottom - end}v${2 * end}M${to} ${below.bottom - end}v${2 * end}M${x} ${below.bottom}H${to}`
    const wide = Math.abs(to - x) >= FITS * (stage.large ? 1.5 : 1)
    const at = {"x": wide ? (x + to) / 2 : Math.max(x, to) + 8, "y": below.bottom - 9, "text-anchor": wide ? "middle" : "start"}
    return [svgNode("path", {class: "bracket", d: path}), svgNode("text", at, text)]
  }

  // Beside the plot of the criterion, from the least to the greatest value: its labels, for their column.
  function gauge(mark, facts, nodes) {
    const plot = stage.plot(ask.plot)
    if (!plot || isMap() || !ask.values.length || !stage.wide) { return [] }
    const [low, high] = [ask.least, ask.largest].map((value) => heightOf(plot, value))
    const width = stage.large ? 10 : 7
    const x = plot.right + 3
    const box = (className, from, to) => svgNode("rect", {class: className, x, y: Math.min(from, to), width, height: Math.abs(to - from)})
    const share = (value) => 1 - (value - plot.top) / plot.height
    const isIn = mark !== null && !Number.isNaN(ask.values[mark])
    nodes.push(box("gauge", low, high))
    const items = [[low, wordOf("gauge.least", facts), ""], [high, wordOf("gauge.largest", facts), ask.plot === "std" ? "pe" : "ucb"]]
    if (isIn) {
      const y = heightOf(plot, ask.values[mark])
      nodes.push(box("filled", low, y), svgNode("line", {class: "level", x1: plot.x(ask.x[mark]), x2: x, y1: y, y2: y}))
      items.push([y, stage.word("gauge", facts), "told-by-you"])
    }
    return items.map(([y, text, role]) => ({text, role, place: "end", strong: role !== "", meaning: "", x: 1, y: share(y)}))
  }

  return {start, draw, gap, clear: () => { slider?.remove() }}
}
