// Where a question is asked: the plots of a picture, measured, a layer of SVG over them, and the texts
// around it. What is drawn here lies over the figures, and no figure knows of it.

const SVG = "http://www.w3.org/2000/svg"
const LONG = 32 // letters of a title that can be wider than a narrow picture
const SMALLEST = 0.75 // share of its size to which a longer title shrinks
const WIDE = 560 // px of a picture; a narrower one has no column for labels, and its texts are shorter

function svgNode(tag, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.textContent = text
  return node
}

function htmlNode(tag, className, text = "") {
  const node = document.createElement(tag)
  node.className = className
  node.textContent = text
  return node
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

// The strip above the pictures, or null where none is in sight.
function stripOf(root) {
  for (let host = hostOf(root); host; host = hostOf(host)) {
    const strip = host.getRootNode().querySelector?.(".lab-lesson")
    if (strip) { return strip.checkVisibility() && strip.offsetHeight > 0 ? strip : null }
  }
  return null
}

// The stage of a picture, or null while it is not there. `redraw` is called when it has changed, and
// `say` with what is read out after the event's status.
function createStage(root, picture, words, redraw, say) {
  const plots = plotsOf(picture)
  const [first] = Object.values(plots)
  if (!first) { return null }
  const whole = hostOf(first.host)
  const strip = stripOf(root)
  for (const place of [whole, strip]) {
    if (place && getComputedStyle(place).position === "static") { place.style.position = "relative" }
  }
  const layer = htmlNode("div", `asked asked-${picture}`)
  const style = htmlNode("style", "", PREDICT_STYLE)
  const svg = svgNode("svg", {"aria-hidden": "true"})
  const title = htmlNode("div", "title")
  layer.append(style, svg, title)
  whole.shadowRoot.append(layer)
  const note = htmlNode("div", "note")
  if (strip) { strip.shadowRoot.append(htmlNode("style", "of-note", PREDICT_STYLE), note) }
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
        valueAt: (share) => upwards.end - share * (upwards.end - upwards.start), // from the top
        x: (value) => left + width * (value - across.start) / (across.end - across.start),
        y: (value) => top + height * (1 - (value - upwards.start) / (upwards.end - upwards.start)),
      }
    },
    word: (name, facts = {}) => filled(words[`ask.${name}`] ?? "", facts),
    has: (name) => `ask.${name}` in words,
    // In the title row: what is asked, or how it went where there is no strip; "" for nothing.
    title(text, hint = "") {
      title.replaceChildren(htmlNode("b", "", text), htmlNode("span", "", hint))
      title.hidden = !text
      title.classList.toggle("long", text.length > LONG && !isWide())
    },
    // The same over a plot; of a curve, right of the name of its axis. A long text is smaller.
    titleOver({left, top, width}, text, hint) {
      const start = isWide() ? left + ("function" in plots ? 44 : 0) : 12
      const room = layer.clientWidth - start
      this.title(text, hint)
      Object.assign(title.style, {left: `${start}px`, top: `${top}px`, minWidth: `${left + width - start}px`, maxWidth: `${room}px`})
      const [words, aside] = title.children
      if (!isWide() || title.scrollWidth <= room) { return }
      aside.hidden = true
      const share = (room - 8) / words.scrollWidth
      words.style.fontSize = `calc(var(--heading, 18px) * ${Math.max(SMALLEST, Math.min(1, share))})`
      words.style.whiteSpace = share < SMALLEST ? "normal" : ""
    },
    // Beside the lesson: a sentence that stands out, and more of it below.
    note(text, more) {
      note.replaceChildren(htmlNode("b", "", text), htmlNode("p", "", more))
      note.hidden = !text
      note.classList.toggle("presented", isPresented())
      return note.offsetHeight > 0
    },
    say,
    labels(name, items) { if (plots[name]) { extra(plots[name], items) } },
    end() {
      cancelAnimationFrame(frame)
      watch.disconnect()
      for (const range of ranges) { range.change.disconnect(later) }
      for (const plot of Object.values(plots)) { extra(plot, []) }
      layer.remove()
      note.remove()
      strip?.shadowRoot.querySelector(".of-note")?.remove()
    },
  }
}
