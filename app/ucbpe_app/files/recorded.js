// What pages of recordings share: the arrays and components of a recording, its figures, and their theme.

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

// A loop takes a tenth of the time of `Uint8Array.from`.
function bytesOf(text) {
  const letters = atob(text)
  const bytes = new Uint8Array(letters.length)
  for (let i = 0; i < bytes.length; i += 1) { bytes[i] = letters.charCodeAt(i) }
  return bytes
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

// As in the dashboard each component has a shadow root of its own, with its style sheets. `RENDERED` has the
// functions that draw them, by kind: see page.py.

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

function setAll(part, node) {
  for (const [name, set] of Object.entries(SETTERS)) { if (name in node) { set(part, node[name]) } }
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
  setAll(part, node)
  return host
}

// The components of a recording, laid out in a place, and its figures, which `draw` is to draw there.
function layOut({tree, document: json}, place) {
  const {Document} = Bokeh.require("document")
  const figures = Document.from_json(json)
  const parts = {document: figures, figures: [], components: []}
  place.replaceChildren(build(tree, parts))
  return {figures, parts}
}

// Returns what takes them away again.
async function draw({figures, parts}, place) {
  const views = await Bokeh.embed.add_document_standalone(figures, place, parts.figures)
  return () => {
    for (const part of parts.components) { part.tell?.("remove") }
    views.clear()
    Bokeh.documents.splice(Bokeh.documents.indexOf(figures), 1)
  }
}

// A picture that is painted before its font is there has labels of the wrong width.
const loadFonts = () => Promise.allSettled([...document.fonts].map((font) => font.load()))

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
