// The labels of a plot, over its frame: at the ends of lines and next to points, kept apart, and the
// names of the axes. Positions are shares of the frame, so they hold at every size.

const APART = 2 // px between two labels at line ends
const COLUMN = 60 // px right of the frame, at least, for labels of line ends to be there
const GAP = 14 // px from the frame to them
const SIDE = 4 // px free on either side of the name of a point
const ABOVE = 18 // px above the frame that a label may reach
const TITLE = 4 // px from the frame to the name above it
const MARK = 9 // px: half a mark
const [KEY, BETWEEN] = [20, 12] // px: height of a row of names above a curve, and between two
// Where the label of a point may be, best first: its nearest corner, from the mark, right and up.
const PLACES = [9, 27, 45].flatMap((dx) => [6, -6, 26, -26, 46, -46].flatMap((dy) => [[dx, dy], [-dx, dy]]))

const overlaps = (a, b) => (
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)

// Middles of labels of these heights, each near its own, in order and within the frame.
export function spread(middles, heights, extent) {
  const order = middles.map((_, i) => i).sort((i, j) => middles[i] - middles[j] || i - j)
  const placed = [...middles]
  let free = 0
  for (const i of order) {
    placed[i] = Math.max(placed[i], free + heights[i] / 2)
    free = placed[i] + heights[i] / 2 + APART
  }
  free = extent
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], free - heights[i] / 2)
    free = placed[i] - heights[i] / 2 - APART
  }
  return placed
}

// The first place of a label that is free and inside the frame, or else the least crowded.
export function nextTo([x, y], [width, height], taken, frame) {
  const boxes = PLACES.map(([dx, dy]) => {
    const left = dx > 0 ? x + dx : x + dx - width
    const top = dy > 0 ? y - dy - height : y - dy
    return {left, top, right: left + width, bottom: top + height}
  })
  const crowding = boxes.map((box) => taken.filter((other) => overlaps(box, other)).length
    + 9 * (box.left < 0 || box.right > frame[0] || box.top < -ABOVE || box.bottom > frame[1]))
  return boxes[crowding.indexOf(Math.min(...crowding))]
}

// Of labels in one row, the groups that would overlap, from the left.
function groups(labels, width) {
  const found = []
  let end = -Infinity
  for (const one of [...labels].sort((a, b) => a.item.x - b.item.x)) {
    const left = one.item.x * width
    if (left >= end) { found.push([]) }
    found.at(-1).push(one)
    end = Math.max(end, left + GAP + one.size[0])
  }
  return found
}

// The part of a figure of Bokeh 3.9 that takes the mouse. To be filed there: "The events layer of a
// canvas is a stop of the Tab key that has no name. CanvasView gives it tabIndex 0 whether or not a
// tool of the figure takes keys, so that Tab stops at each figure where nothing is named and nothing
// can be done. Remedy: tabIndex -1 unless a tool takes keys, and the figure's own accessible name."
function layerOf(root) {
  for (const node of root.querySelectorAll("*")) {
    const found = node.matches(".bk-events") ? node : node.shadowRoot && layerOf(node.shadowRoot)
    if (found) { return found }
  }
  return null
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "labels"
  root.innerHTML = "<div class=\"frame\"><svg aria-hidden=\"true\"></svg></div>"
  const frame = root.firstChild
  const svg = frame.firstChild
  const button = document.createElement("button")
  button.type = "button"
  button.addEventListener("click", () => model.send_msg({do: "press"}))
  let waiting = 0
  let layer = null
  let extra = [] // items of what a visitor marks, see predict.js; at a "line" across the plot no name of a point lies
  root.addEventListener("lab-extra", ({detail}) => { if (extra.length || detail.length) { extra = detail; later() } })

  function passByTab() {
    const plot = (root.getRootNode().host ?? root).parentNode
    layer ??= plot && layerOf(plot)
    layer?.setAttribute("tabindex", "-1")
  }

  function nodes(items) {
    while (frame.children.length > items.length + 1) { frame.lastChild.remove() }
    while (frame.children.length < items.length + 1) { frame.append(document.createElement("span")) }
    return items.map(({text, role, place, strong, meaning, color = ""}, i) => {
      const node = frame.children[i + 1]
      const name = `${place} ink-${role || "none"}${strong ? " strong" : ""}`
      if (node.className !== name) { node.className = name }
      node.style.setProperty("--ink", color)
      if (node.title !== meaning) { node.title = meaning }
      if (node.textContent !== text) { node.textContent = text }
      return node
    })
  }

  // Labels right of `lefts`, the edge of the frame or the ends of lines, kept apart: their leaders.
  function placeLevel(labels, lefts, [width, height]) {
    const middles = labels.map(({item}) => (1 - item.y) * height)
    const placed = spread(middles, labels.map(({size}) => size[1]), height)
    labels.forEach(({node}, i) => { node.style.top = `${placed[i]}px` })
    return labels.flatMap(({item}, i) => {
      if (Math.abs(placed[i] - middles[i]) <= 3) { return [] }
      const leader = document.createElementNS(svg.namespaceURI, "line")
      const start = lefts[i] - width
      const places = {x1: start, y1: middles[i], x2: start + GAP - 3, y2: placed[i]}
      for (const [name, value] of Object.entries(places)) { leader.setAttribute(name, value) }
      leader.setAttribute("class", `ink-${item.role || "none"}`)
      return [leader]
    })
  }

  // Names of curves in rows above the frame, from the left of the picture.
  function placeKeys(labels) {
    let [left, row] = [0, 0]
    for (const {node, size} of labels) {
      if (left && left + size[0] > root.clientWidth) { [left, row] = [0, row + 1] }
      node.style.left = `${left - frame.offsetLeft}px`
      node.style.top = `${KEY * row - frame.offsetTop}px`
      left += size[0] + BETWEEN
    }
  }

  function placePoints(points, taken, [width, height]) {
    const at = points.map(({item}) => [item.x * width, (1 - item.y) * height])
    taken.push(...at.map(([x, y]) => (
      {left: x - MARK, right: x + MARK, top: y - MARK, bottom: y + MARK})))
    points.forEach(({node, size}, i) => {
      const box = nextTo(at[i], size, taken, [width, height])
      taken.push({...box, left: box.left - SIDE, right: box.right + SIDE})
      node.style.transform = `translate(${box.left}px, ${box.top}px)`
    })
  }

  // All is read before anything is moved: the browser lays out once.
  function draw() {
    waiting = 0
    passByTab()
    const [width, height] = [frame.clientWidth, frame.clientHeight]
    const room = root.clientWidth - frame.offsetLeft
    const narrow = room - width < COLUMN
    const keyed = narrow && parseFloat(getComputedStyle(root).getPropertyValue("--keys")) > 0
    root.classList.toggle("keyed", keyed)
    const [lines, more] = [true, false].map((on) => extra.filter(({place}) => (place === "line") === on))
    const items = [...model.items, ...more]
    const drawn = nodes(items).map((node, i) => ({node, item: items[i]}))
    // A title that would be cut goes without what it means: "std: how unsure we are (dotted: …)".
    for (const {node, item} of drawn) {
      const isCut = item.place === "title" && node.scrollWidth > node.clientWidth
      if (isCut) { node.textContent = item.text.replace(/:[^(]*(?= \()/, "") }
    }
    for (const one of drawn) { one.size = [one.node.offsetWidth, one.node.offsetHeight] }
    const of = (place) => drawn.filter(({item}) => item.place === place)
    for (const {node} of drawn) {
      node.style.transform = ""
      node.style.left = node.style.top = ""
    }
    // A name of the vertical axis that is wider than the border moves the title.
    const [axis, title] = [of("axis")[0], of("title")[0]]
    const [left] = model.borders
    const wider = axis ? Math.max(0, axis.size[0] + GAP - left) : 0
    if (axis) {
      axis.node.style.left = wider ? `${-left}px` : ""
      axis.node.style.right = wider ? "auto" : "" // or it is measured between both the next time
    }
    if (title) { title.node.style.left = wider ? `${wider}px` : "" }
    // A note that does not fit next to the title within the frame goes on above the scale of colours;
    // where that is too narrow as well, the note is below the ticks.
    const [note] = of("note")
    if (note) {
      const beyond = (title?.size[0] ?? 0) + wider + MARK + note.size[0] - width
      const low = width + beyond + MARK > room
      note.node.classList.toggle("low", low)
      note.node.style.right = beyond > 0 && !low ? `${-beyond}px` : ""
    }
    const all = of("tip")
    const ends = [...of("end"), ...keyed ? all : []]
    // Where a line ends too near the edge, its name is left of its end.
    const fits = ({item, size}) => item.x * width + GAP + size[0] <= room
    const tips = keyed ? [] : all.filter(fits)
    if (keyed) { placeKeys(ends) }
    svg.replaceChildren(
      ...keyed ? [] : placeLevel(ends, ends.map(() => width), [width, height]),
      ...groups(tips, width).flatMap((group) => (
        placeLevel(group, group.map(({item}) => item.x * width), [width, height]))))
    const taken = tips.map(({item, size, node}) => {
      const [start, middle] = [item.x * width + GAP, parseFloat(node.style.top)]
      node.style.left = `${start}px`
      const [top, bottom] = [middle - size[1] / 2, middle + size[1] / 2]
      return {left: start - GAP - MARK, right: start + size[0], top, bottom}
    })
    // Without a column they lie on the frame, on top of their lines, and points keep clear of them.
    if (narrow && !keyed) {
      taken.push(...ends.map(({size, node}) => {
        const bottom = parseFloat(node.style.top)
        return {left: width - size[0], right: width, top: bottom - size[1], bottom}
      }))
    }
    taken.push(...of("title").map(({size}) => (
      {left: 0, right: size[0], top: -TITLE - size[1], bottom: -TITLE})))
    taken.push(...lines.map(({x}) => ({left: x * width - MARK, right: x * width + MARK, top: 0, bottom: height})))
    const others = keyed ? [] : all.filter((one) => !fits(one))
    placePoints([...of("point"), ...others], taken, [width, height])
    // What is inside gives way to the others: to the middle, or at as much from the other edge.
    for (const {node, item, size} of of("inside")) {
      const middle = Math.min(Math.max(item.x * width, size[0] / 2), width - size[0] / 2)
      const start = middle - size[0] / 2
      node.style.left = `${middle}px`
      const free = [1 - item.y, 0.5, item.y].find((share) => {
        const [top, bottom] = [share * height - size[1] / 2, share * height + size[1] / 2]
        const box = {left: start, right: start + size[0], top, bottom}
        return !taken.some((other) => overlaps(other, box))
      })
      node.style.top = `${100 * (free ?? 1 - item.y)}%`
    }
  }

  const later = () => { waiting ||= requestAnimationFrame(draw) }
  const border = () => {
    const [left, right, top, bottom] = model.borders
    for (const [name, value] of Object.entries({left, right, top, bottom})) {
      root.style.setProperty(`--${name}`, `${value}px`)
    }
    later()
  }
  const pressable = () => {
    button.setAttribute("aria-label", model.press)
    button.title = model.press
    if (model.press) { root.append(button) } else { button.remove() }
  }
  const watch = new ResizeObserver(later)
  watch.observe(root)
  border()
  pressable()
  model.on("press", pressable)
  model.on("items", later)
  model.on("borders", border)
  model.on("remove", () => watch.disconnect())
  return root
}
