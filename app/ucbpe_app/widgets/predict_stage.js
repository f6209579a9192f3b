// Where a question is asked: the plots of a picture, measured, and over them a layer of SVG and what takes
// the pointer and the keys. What is drawn here lies over the figures, and no figure knows of it.

const SVG = "http://www.w3.org/2000/svg"
const LONG = [32, 72] // letters of a title that is smaller, over a narrow and a wide picture
const WIDE = 560 // px of a picture; a narrower one has no column for labels, and its texts are shorter
const DOES = {Enter: "next", PageDown: "next", PageUp: "back", s: "skip", Escape: "unmark"}

function svgNode(tag, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.textContent = text
  return node
}

// A line over an outline, which keeps it apart from what is below.
function cased(line) {
  const casing = line.cloneNode()
  casing.classList.add("casing")
  return [casing, line]
}

const isPresented = () => document.documentElement.style.fontSize !== "" // see present.js
const hostOf = (node) => node.getRootNode().host
const plotNameOf = (host) => [...host.classList].map((name) => /^lab-plot-(\w+)$/.exec(name)?.[1])
  .find((name) => name && name !== "hidden" && name !== "figure")

// The plots of a picture, by name: the view of each figure, its column, and its labels over its frame.
function plotsOf(picture) {
  const views = window.Bokeh?.index.query((one) => one.model.css_classes?.includes?.(`lab-at-${picture}`)) ?? []
  return Object.fromEntries([...views].filter(({el}) => el.isConnected).flatMap((view) => {
    const host = hostOf(view.el)
    const labels = host?.shadowRoot.querySelector(".lab-labels")?.shadowRoot?.querySelector(".frame")?.parentNode
    return labels && host.checkVisibility() ? [[plotNameOf(host), {view, host, labels}]] : []
  }))
}

// The stage of a picture, or null while it is not there. `redraw` is called when it has changed, and
// `say` with what is read out after the event's status.
function createStage(picture, words, redraw, say) {
  const plots = plotsOf(picture)
  const [first] = Object.values(plots)
  if (!first) { return null }
  const whole = hostOf(first.host)
  if (getComputedStyle(whole).position === "static") { whole.style.position = "relative" }
  const svg = svgNode("svg", {"aria-hidden": "true"})
  const title = element("div", {class: "title"})
  const layer = element("div", {class: `asked asked-${picture}`}, element("style", {}, PREDICT_STYLE), svg, title)
  whole.shadowRoot.append(layer)
  let frame = 0
  const later = () => { cancelAnimationFrame(frame); frame = requestAnimationFrame(redraw) }
  const watch = new ResizeObserver(later)
  watch.observe(layer)
  const ranges = new Set(Object.values(plots).flatMap(({view}) => [view.model.x_range, view.model.y_range]))
  for (const range of ranges) { range.change.connect(later) }
  const extra = (plot, items) => plot.labels.dispatchEvent(new CustomEvent("lab-extra", {detail: items}))

  const isWide = () => layer.clientWidth >= WIDE
  return {
    layer, svg,
    get large() { return isPresented() && isWide() },
    get wide() { return isWide() },
    names: Object.keys(plots),
    // That of the function: a curve, a map, or else the decision plane.
    main() {
      const name = ["function", "map", "plane"].find((one) => one in plots)
      return this.plot(name ?? this.names[0])
    },
    // The frame of a plot, and how its values become px of the layer; null for one that is not drawn.
    plot(name) {
      const plot = plots[name]
      if (!plot) { return null }
      const [box, own] = [plot.labels.querySelector(".frame"), layer].map((node) => node.getBoundingClientRect())
      const {x_range: across, y_range: upwards} = plot.view.model
      const [left, top, width, height] = [box.left - own.left, box.top - own.top, box.width, box.height]
      return {
        left, top, width, height, right: left + width, bottom: top + height,
        upwards: [upwards.start, upwards.end],
        valueAt: (y) => upwards.end - (y - top) / height * (upwards.end - upwards.start),
        x: (value) => left + width * (value - across.start) / (across.end - across.start),
        y: (value) => top + height * (1 - (value - upwards.start) / (upwards.end - upwards.start)),
      }
    },
    word: (name, facts = {}) => filled(words[`ask.${name}`] ?? "", facts),
    has: (name) => `ask.${name}` in words,
    // Over a plot; of a curve, right of the name of its axis: what is asked, or how it went where no
    // card tells it.
    title({left, top, width}, text, hint = "") {
      const start = isWide() ? left + ("function" in plots ? 44 : 0) : 0
      const [least, most] = [left + width - start, layer.clientWidth - start]
      title.replaceChildren(element("b", {}, text), element("span", {}, hint))
      title.hidden = !text
      title.classList.toggle("long", text.length > LONG[Number(isWide())])
      const own = hint || !isWide() ? `${least}px` : "0" // an answer leaves room for the names of picks
      Object.assign(title.style, {left: `${start}px`, top: `${top}px`, minWidth: own, maxWidth: `${most}px`})
      title.classList.toggle("narrow", !isWide())
    },
    // On the card of the lesson: a sentence that stands out, and more of it below. Whether it is seen.
    note(text, more) {
      const detail = {text, more, isSeen: false}
      window.dispatchEvent(new CustomEvent("lab:note", {detail}))
      return detail.isSeen
    },
    say,
    labels(name, items) { if (plots[name]) { extra(plots[name], items) } },
    // A label beside a plot, at y px of the layer.
    label: ({top, height}, y, text, role) => (
      {text, role, place: "end", strong: role !== "", meaning: "", x: 1, y: 1 - (y - top) / height}),
    set(slider, {min, max, value, name, told}) {
      Object.assign(slider, {min, max, value})
      slider.setAttribute("aria-label", name)
      slider.setAttribute("aria-valuetext", told)
    },
    // Sliders for keys and screen readers, and the function that puts them, by a name, from one plot to
    // another. The pointer is told in px of the layer, and whether it has just come down.
    field(count, {act, changed, pointed}) {
      const sliders = Array.from({length: count}, () => element("input", {"type": "range", "step": "any", "data-keeps": ""}))
      const field = element("div", {class: "field", role: "group"}, ...sliders)
      const point = (event) => {
        const isFirst = event.type === "pointerdown"
        if (isFirst) { field.setPointerCapture(event.pointerId) } else if (!field.hasPointerCapture(event.pointerId)) { return }
        const {left, top: above} = layer.getBoundingClientRect()
        pointed(event.clientX - left, event.clientY - above, isFirst)
      }
      const onKey = (event) => {
        if (!(event.key in DOES) || event.ctrlKey || event.altKey || event.metaKey) { return }
        event.preventDefault()
        event.stopPropagation()
        act({do: DOES[event.key]})
      }
      const stay = (event) => event.preventDefault() // the focus, which the pointer gives to a slider
      for (const [name, react] of Object.entries({
        pointerdown: point, mousedown: stay, pointermove: point, input: changed, keydown: onKey, focusin: later,
      })) { field.addEventListener(name, react) }
      if (count) { layer.append(field) }
      const cover = (name, {left, top, width}, {bottom}) => {
        field.setAttribute("aria-label", name)
        Object.assign(field.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${bottom - top}px`})
      }
      return {sliders, cover, field}
    },
    end() {
      cancelAnimationFrame(frame)
      watch.disconnect()
      for (const range of ranges) { range.change.disconnect(later) }
      for (const plot of Object.values(plots)) { extra(plot, []) }
      layer.remove()
      this.note("", "")
    },
  }
}
