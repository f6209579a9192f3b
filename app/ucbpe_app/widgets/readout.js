// One candidate's numbers, and who asks for them: the mouse in any picture, a click or a tap, and
// the number field. The browser says where; the server says which candidate that is.

const PICTURES = ["curve", "field", "plane"] // a figure has the class lab-at-<picture>
const RETRY_AFTER = 4000 // ms; an answer lost with the connection must not block later questions
const READ_FOR = 1000 // ms; Enter leaves the field before its answer is there
const STILL = 5 // px; a mouse that moved farther between down and up has dragged

function build(model) {
  const root = document.createElement("section")
  root.className = "candidate"
  root.setAttribute("aria-label", "One candidate")
  root.innerHTML = `
    <div class="heading">
      <label for="index">Candidate</label>
      <input id="index" type="number" min="0" step="1" inputmode="numeric" autocomplete="off"
        aria-describedby="hint">
      <span class="labels"></span>
      <button type="button" class="release" aria-label="Release the candidate"
        title="Release (Escape)">×</button>
    </div>
    <p id="hint"><span class="mouse">Point at one, click it</span><span class="finger">Tap one</span> to hold
      it, or enter its number.<span class="mouse"> Of a measured one, Alt with ↑ or ↓ moves the value, and
      Alt with Delete leaves it out.</span></p>
    <dl></dl>`
  root.firstElementChild.prepend(fragment(model.swatch))
  const [input, labels, release, rows] = ["input", ".labels", ".release", "dl"]
    .map((name) => root.querySelector(name))
  return {root, input, labels, release, rows}
}

// Rows are reused by position, so that selected text stays selected after a step.
function drawRows(list, rows) {
  while (list.children.length > rows.length) { list.lastChild.remove() }
  while (list.children.length < rows.length) {
    const row = document.createElement("div")
    row.append(document.createElement("dt"), document.createElement("dd"))
    list.append(row)
  }
  rows.forEach(([name, value, kind], i) => {
    const row = list.children[i]
    row.className = kind
    for (const [node, text] of [[row.firstChild, name], [row.lastChild, value]]) {
      if (node.textContent !== text) { node.textContent = text }
    }
  })
}

// One question at a time. A newer place replaces one that waits, but never a choice that waits.
function createAsker(model) {
  let request = model._answered
  let waiting = null
  let sentAt = null
  const send = (question) => {
    sentAt = performance.now()
    model.send_msg({...question, request: ++request})
  }
  const ask = (question) => {
    if (sentAt === null || performance.now() - sentAt > RETRY_AFTER) { return send(question) }
    const passing = ["point", "leave"].includes(question.do)
    if (!waiting || !passing || ["point", "leave"].includes(waiting.do)) { waiting = question }
  }
  const answered = () => {
    if (model._answered !== request) { return }
    const next = waiting
    sentAt = waiting = null
    if (next) { send(next) }
  }
  return {ask, answered}
}

const views = new WeakMap() // from the element of a figure to its view

function viewOf(host) {
  if (!views.has(host)) {
    const view = window.Bokeh?.index.query_one((one) => one.el === host)
    if (!view) { return null }
    views.set(host, view)
  }
  return views.get(host)
}

// Where an event is in a figure that can be pointed at, in the units of its axes; else null.
function placeOf(event) {
  for (const node of event.composedPath()) {
    const picture = PICTURES.find((name) => node.classList?.contains(`lab-at-${name}`))
    const view = picture && viewOf(node)
    if (!view) { continue }
    const {left, top} = view.canvas_view.el.getBoundingClientRect()
    const [sx, sy] = [event.clientX - left, event.clientY - top]
    const {bbox, x_scale, y_scale} = view.frame
    if (!bbox.contains(sx, sy)) { return null }
    const [x, y] = [x_scale.invert(sx), y_scale.invert(sy)]
    const [dx, dy] = [x_scale.invert(sx + 1) - x, y_scale.invert(sy + 1) - y].map(Math.abs)
    return {picture, x, y: Number.isFinite(y) ? y : 0, dx, dy: dy > 0 ? dy : 1}
  }
  return null
}

const shownOf = (model) => JSON.parse(model.shown)

function listen(model, ask, field) {
  let inside = false
  let down = [0, 0]
  const leave = () => {
    if (inside) { ask({do: "leave"}) }
    inside = false
  }
  const onMove = (event) => {
    // A finger that scrolls and a mouse that drags point at nothing.
    if (event.pointerType === "touch" || event.buttons || shownOf(model).pinned) { return }
    const place = placeOf(event)
    if (!place) { return leave() }
    inside = true
    ask({do: "point", ...place})
  }
  const onDown = (event) => { down = [event.clientX, event.clientY] }
  const onClick = (event) => {
    const moved = Math.hypot(event.clientX - down[0], event.clientY - down[1])
    const place = moved < STILL ? placeOf(event) : null
    if (place) { ask({do: "pin", ...place}) }
  }
  const onKey = (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && shownOf(model).pinned) {
      ask({do: "release"})
    }
  }
  const all = {pointermove: onMove, pointerdown: onDown, click: onClick, keydown: onKey}
  for (const [name, react] of Object.entries(all)) { document.addEventListener(name, react, true) }
  document.documentElement.addEventListener("pointerleave", leave)
  const focus = () => field.focus()
  document.addEventListener("lab:candidate", focus) // from present.js
  return () => {
    for (const [name, react] of Object.entries(all)) {
      document.removeEventListener(name, react, true)
    }
    document.documentElement.removeEventListener("pointerleave", leave)
    document.removeEventListener("lab:candidate", focus)
  }
}

export function render({model}) {
  const {root, input, labels, release, rows} = build(model)
  const {ask, answered} = createAsker(model)
  let typing = false
  const draw = () => {
    const {index, pinned, labels: names, rows: table} = shownOf(model)
    root.classList.toggle("pinned", Boolean(pinned))
    root.classList.toggle("pointed", model.pointed !== null && !pinned)
    root.classList.toggle("empty", index == null)
    if (!typing) { input.value = index ?? "" }
    input.max = model.count - 1
    labels.textContent = (names ?? []).length ? `= ${names.join(", ")}` : ""
    release.hidden = !pinned
    drawRows(rows, table ?? [])
  }
  const choose = (index) => {
    typing = false
    if (Number.isFinite(index)) { ask({do: "choose", index}) } else { draw() }
  }
  input.addEventListener("input", () => { typing = true })
  input.addEventListener("change", () => choose(input.valueAsNumber))
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { choose(input.valueAsNumber) } // even if it is the number shown
    const far = {PageUp: model.column, PageDown: -model.column}[event.key]
    if (far) {
      event.preventDefault()
      choose((Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : 0) + far)
    }
  })
  // Read out while the keyboard chooses, and not at every move of a mouse.
  input.addEventListener("focus", () => rows.setAttribute("aria-live", "polite"))
  input.addEventListener("blur", () => {
    typing = false
    setTimeout(() => {
      if (!input.matches(":focus")) { rows.removeAttribute("aria-live") }
    }, READ_FOR)
    draw()
  })
  release.addEventListener("click", () => ask({do: "release"}))
  const forget = listen(model, ask, input)
  model.on(["shown", "count"], draw)
  model.on("_answered", answered)
  model.on("after_render", draw)
  model.on("remove", forget)
  return root
}
