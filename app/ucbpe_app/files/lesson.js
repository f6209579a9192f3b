// Plays a recorded run: lays the components out, and for an event sets what differs from the one
// on screen. All is in this file; a step asks for nothing and is done when its function returns.

const DARK = window.matchMedia("(prefers-color-scheme: dark)")
const BETWEEN_PAINTS = 17 // ms, the least time between two paints of Bokeh: an earlier request waits
const STEPPING = new Set(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"])
const TYPES = {
  float32: Float32Array, float64: Float64Array, uint8: Uint8Array, int8: Int8Array, int32: Int32Array,
}

// What a Column and an HTML pane have of themselves, before their own style sheets.
const BASE = `
:host { display: block; box-sizing: border-box; flex: 0 0 auto; align-self: stretch;
  min-width: 0; max-width: 100%; min-height: 0; height: fit-content;
  font: 400 16px/1.43 var(--bokeh-base-font); }
:host([hidden]) { display: none !important; }
:host(.column) { display: flex; flex-direction: column; }
*, *::before, *::after { box-sizing: inherit; }
`

// The recording.

async function inflated(bytes) {
  if (!("DecompressionStream" in window)) { throw new Error("the browser has no DecompressionStream") }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

async function read(element) {
  const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0))
  const bytes = await inflated(packed)
  const end = Number(element.dataset.text)
  const recording = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))
  return {...recording, arrays: unpack(recording.arrays, bytes.subarray(end))}
}

// The numbers of one array come after those of the other.
function unpack(headers, bytes) {
  const {ndarray} = Bokeh.require("core/util/ndarray")
  let at = 0
  return headers.map(([dtype, shape]) => {
    const size = shape.reduce((product, length) => product * length, 1) * TYPES[dtype].BYTES_PER_ELEMENT
    const values = new TYPES[dtype](bytes.slice(at, at + size).buffer)
    at += size
    return shape.length === 1 ? values : ndarray(values, {dtype, shape})
  })
}

function decoded(value, arrays) {
  if (Array.isArray(value)) { return value.map((one) => decoded(one, arrays)) }
  if (value === null || typeof value !== "object") { return value }
  if ("array" in value) { return arrays[value.array] }
  if ("number" in value) { return Number(value.number) }
  const pairs = value.map.map(([key, one]) => [key, decoded(one, arrays)])
  return pairs.some(([key]) => typeof key === "string") ? Object.fromEntries(pairs) : new Map(pairs)
}

// The page. As in the dashboard each component has a shadow root of its own, with its style sheets.

const RENDERED = {
  labels: renderLabels, draws: renderDraws, timeline: renderTimeline, card: renderCard, ending: renderEnding,
}
const NAMES = ["items", "status", "ask", "gap", "facts", "tabs", "chosen", "paragraphs", "questions", "slug", "found", "how", "remember",
  "attempt"]

const setOf = (name) => ({model, tell}, value) => {
  model[name] = value
  tell(name)
}

const SETTERS = {
  ...Object.fromEntries(NAMES.map((name) => [name, setOf(name)])),
  html: ({content}, html) => { content.innerHTML = html },
  visible: ({host}, visible) => { host.hidden = !visible },
  classes: ({host, kind}, names) => { host.className = [kind, ...names].join(" ") },
  styles: ({host}, styles) => {
    for (const [name, value] of Object.entries(styles)) { host.style.setProperty(name, value) }
  },
}

// Components of the dashboard, with this file in the place of the server.
function modelOf(properties) {
  const listeners = new Map()
  const tell = (...names) => names.forEach((name) => listeners.get(name)?.forEach((call) => call()))
  const on = (names, call) => [names].flat().forEach((name) => (
    listeners.set(name, [...listeners.get(name) ?? [], call])))
  return {model: {ask: {}, gap: {}, ...properties, on}, tell}
}

function build(node, parts) {
  const host = document.createElement("div")
  if (node.kind === "figure") {
    host.style.display = "contents" // Bokeh's own element takes part in the layout
    parts.figures[node.root] = host
    return host
  }
  const root = host.attachShadow({mode: "open"})
  for (const sheet of [BASE, `:host { margin: ${node.margin} }`, ...node.sheets]) {
    const style = document.createElement("style")
    style.textContent = sheet
    root.append(style)
  }
  const part = {host, kind: node.kind, content: document.createElement("div")}
  parts.components[node.number] = part
  if (node.kind in RENDERED) {
    Object.assign(part, modelOf(node))
    host.className = [node.kind, ...node.classes ?? []].join(" ")
    root.append(RENDERED[node.kind]({model: part.model, view: {model: parts}}))
    part.tell("after_render")
    host.hidden = node.visible === false
    return host
  }
  if (node.label) {
    host.setAttribute("role", "region")
    host.setAttribute("aria-label", node.label)
    if (node.scrolls) { host.tabIndex = 0 }
  }
  root.append(...(node.kind === "column" ? node.children.map((one) => build(one, parts))
    : [part.content]))
  for (const [name, set] of Object.entries(SETTERS)) { if (name in node) { set(part, node[name]) } }
  return host
}

// Theme: what the dashboard's sets on its figures, and its colours as CSS has them.

function look(dark) {
  const ink = dark ? "255, 255, 255" : "0, 0, 0"
  const paper = dark ? "#121212" : "#fff"
  const text = dark ? "#fff" : `rgba(${ink}, 0.87)`
  const quiet = `rgba(${ink}, ${dark ? 0.7 : 0.6})`
  const line = `rgba(${ink}, ${dark ? 0.28 : 0.22})`
  const font = "Roboto, Helvetica, Arial, sans-serif"
  return {
    Axis: {
      axis_line_color: line, major_tick_line_color: line, minor_tick_line_color: line,
      major_label_text_color: quiet, major_label_text_font: font,
      major_label_text_font_size: "0.925em", major_label_text_font_style: "normal",
      axis_label_text_color: text, axis_label_text_font: font, axis_label_text_font_size: "1em",
      axis_label_text_font_style: "normal",
    },
    ColorBar: {
      background_fill_color: paper, major_label_text_color: quiet, major_label_text_font: font,
      major_label_text_font_size: "0.9em", major_label_text_font_style: "normal",
    },
    Title: {text_color: text, text_font: font, text_font_size: "1.05em", text_font_style: "normal"},
    Grid: {grid_line_color: `rgba(${ink}, ${dark ? 0.12 : 0.1})`},
    Figure: {background_fill_color: paper, border_fill_color: paper},
  }
}

// A mark's colours in the other theme, given its colours in this one.
function recolored(model, colors) {
  const own = ["line_color", "fill_color", "hatch_color"].map((name) => [name, model[name]])
  const found = own.filter(([, color]) => (color?.value ?? color) in colors)
  return Object.fromEntries(found.map(([name, color]) => (
    [name, color.value ? {value: colors[color.value]} : colors[color]])))
}

function dress(figures, dark, pairs) {
  const colors = Object.fromEntries(pairs.map(([light, other]) => (
    dark ? [light, other] : [other, light])))
  const looks = Object.entries(look(dark))
  const models = figures.roots().flatMap((root) => [...root.references()])
  for (const model of models) {
    const found = looks.find(([type]) => model.type.endsWith(type))
    if (found && !(model.type === "Grid" && model.grid_line_color === null)) { model.setv(found[1]) }
    model.setv(recolored(model, colors))
  }
}

// `page.figures` are those on the page.
function offerThemes(page, pairs) {
  const button = document.getElementById("theme")
  const choose = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light"
    if (page.figures) { dress(page.figures, dark, pairs) }
    button.setAttribute("aria-pressed", dark)
  }
  button.addEventListener("click", () => {
    choose(document.documentElement.dataset.theme !== "dark")
    DARK.onchange = null
  })
  const {theme} = document.body.dataset // of a page around this one, as a notebook
  if (!theme) { DARK.onchange = () => choose(DARK.matches) }
  choose(theme ? theme === "dark" : DARK.matches)
}

// What stands beside the player in the file, as a notebook's script, follows it by these.
function announce(name, detail) {
  document.dispatchEvent(new CustomEvent(`lesson:${name}`, {detail}))
}

// The player.

function createPlayer({tracks, codes}, parts, figures, arrays) {
  const played = tracks.map(({target, values, which}) => ({
    which, current: -1, values: values.map((value) => decoded(value, arrays)), target,
  }))
  // The event of an index; `anew` after others have drawn.
  const show = (index, anew = false) => {
    const changes = new Map()
    for (const track of played) {
      if (anew) { track.current = -1 }
      const place = track.which[index]
      if (place === track.current) { continue }
      track.current = place
      const value = track.values[place]
      const {model, node, name, column} = track.target
      if (model === undefined) {
        parts.set(node, name, value)
        continue
      }
      if (!changes.has(model)) { changes.set(model, {}) }
      const change = changes.get(model)
      if (column === undefined) { change[name] = value } else {
        const {data} = figures.get_model_by_id(model)
        change.data ??= data instanceof Map ? Object.fromEntries(data) : {...data}
        change.data[column] = value
      }
    }
    for (const [id, change] of changes) { figures.get_model_by_id(id).setv(change) }
    announce("event", {code: codes[index]})
  }
  return {show, indexOf: (code) => codes.indexOf(code)}
}

// A key that is held must not run ahead of the pictures: a repeat counts once the last step has been
// drawn, so that no event is passed unseen. One that comes sooner waits, and letting go drops it, so
// that stepping is as fast as the browser and stops at once however slow that is.
function paceRepeats() {
  let [drawn, waiting] = [true, null]
  const again = () => {
    drawn = true
    const {key, shiftKey} = waiting ?? {}
    waiting = null
    const init = {key, shiftKey, repeat: true, bubbles: true, cancelable: true}
    if (key) { document.dispatchEvent(new KeyboardEvent("keydown", init)) }
  }
  window.addEventListener("keyup", () => { waiting = null }, true)
  window.addEventListener("blur", () => { waiting = null })
  window.addEventListener("keydown", (event) => {
    if (!STEPPING.has(event.key)) { return }
    if (drawn) {
      drawn = false
      setTimeout(() => requestAnimationFrame(() => setTimeout(again)), BETWEEN_PAINTS)
    } else if (event.repeat) {
      event.preventDefault()
      event.stopImmediatePropagation()
      waiting = event
    }
  }, true)
}

// What computes runs of other settings, where the page around this one allows it.
async function startedLive(page) {
  const {live: {modules, lexicon: {texts}}, root} = page
  try {
    const {startLive} = await loaderOf(modules)("client.js")
    return startLive(page)
  } catch {
    const refused = document.createElement("p")
    refused.textContent = texts["live.unchecked"].replace("{error}", texts["error.refused"])
    root.append(refused)
    return null
  }
}

// The page of a recording: figures, a player and, if it is live, an engine. `keepsAddress` if others
// read and write what comes after #.
async function openPage(recording, place, keepsAddress = false) {
  // A picture that is painted before its font is there has labels of the wrong width.
  const fonts = Promise.allSettled([...document.fonts].map((font) => font.load()))
  const {Document} = Bokeh.require("document")
  const figures = Document.from_json(recording.document)
  const parts = {document: figures, figures: [], components: []}
  place.replaceChildren(build(recording.tree, parts))
  const {arrays} = recording
  parts.set = (number, name, value) => SETTERS[name](parts.components[number], value)
  const player = createPlayer(recording, parts, figures, arrays)
  const asked = () => (keepsAddress ? -1 : player.indexOf(window.location.hash.slice(1)))
  let live = null
  const show = (index, shown) => {
    if (live) {
      live.step(index, shown)
    } else {
      player.show(index)
      shown()
    }
  }
  const wanted = asked()
  const start = wanted >= 0 ? wanted : recording.start
  const transport = parts.components.find(({kind}) => kind === "timeline")
  const {model} = transport
  model.index = start
  const card = parts.components.find(({kind}) => kind === "card")
  const tellCard = () => {
    card.model.index = model.index
    card.tell("index")
  }
  if (card) { model.on("index", tellCard) }
  // It answers at once.
  model.send_msg = ({index, request}) => {
    model.index = index
    show(index, () => {
      model._answered = request
      transport.tell("index", "_answered")
    })
  }
  const go = (index) => {
    model.index = index
    show(index, () => transport.tell("index"))
  }
  player.show(recording.at ?? start)
  transport.tell("index", "after_render")
  if (recording.live) {
    const {content: root} = parts.components[recording.live.targets.settings]
    live = await startedLive({...recording, figures, parts, transport, player, root, start, announce})
  }
  const open = () => {
    if (live) { live.follow() } else if (asked() >= 0) { go(asked()) }
  }
  for (const id of recording.batches) {
    const goTo = ({x}) => {
      const {starts} = model
      if (!Number.isFinite(x)) { return }
      model.jump = starts[Math.min(Math.max(Math.round(x), 1), starts.length) - 1]
      transport.tell("jump")
    }
    // A second click within 300 ms, wherever it is, is a "doubletap".
    for (const name of ["tap", "doubletap"]) { figures.get_model_by_id(id).on_event(name, goTo) }
  }
  await fonts
  const dark = document.documentElement.dataset.theme === "dark"
  dress(figures, dark, Object.entries(recording.dark))
  const views = await Bokeh.embed.add_document_standalone(figures, place, parts.figures)
  const close = () => {
    live?.end()
    for (const part of parts.components) { part.tell?.("remove") }
    views.clear()
    Bokeh.documents.splice(Bokeh.documents.indexOf(figures), 1)
  }
  announce("ready", {go: (code) => go(player.indexOf(code))})
  return {figures, live, parts, open, close}
}

// A recorded run.
async function playLesson(recording, place, page) {
  Object.assign(page, await openPage(recording, place))
  window.addEventListener("hashchange", page.open)
}

async function begin(play) {
  paceRepeats()
  const place = document.getElementById("lesson")
  const page = {figures: null}
  try {
    const recording = await read(document.getElementById("recording"))
    offerThemes(page, Object.entries(recording.dark))
    await play(recording, place, page)
  } catch (error) {
    const note = document.createElement("p")
    note.setAttribute("role", "alert")
    note.textContent = `This lesson cannot be shown: ${error.message}. Open it in a browser of May 2023 or later.`
    place.replaceChildren(note)
    throw error
  }
}
