// The switch between a page to work at and a page to show: text of 18 px and more, as every size in
// the style sheets counts in rem, and the whole screen where the browser lets a page have it. Keys
// bring what the room is to see besides the function.

const LABEL = "Present"
const ICON = "M3 5h18v11H3zM12 16v4M8 20h8"
// 0.875 rem, the page's running text, is 18 px, on a large screen up to 18 pt. A phone is held near
// the eye.
const text = () => window.matchMedia("(max-width: 599px)").matches ? "120%" :
  "clamp(20.6px, 2.54vh, 27.4px)"

const points = (rem) => `${Math.round(rem * parseFloat(getComputedStyle(document.documentElement).fontSize))}px`
const figureText = () => points(0.875)
const titleText = () => points(0.75) // has no more room than its figure is wide
const SIZES = ["axis_label_text_font_size", "major_label_text_font_size", "title_text_font_size"]
const SOON = 100 // ms after the last of several changes
const OWNERS = /Axis$|ColorBar$|^Title$/

// The theme sets the texts of figures, also when a page is there already and when it is toggled; so they
// are enlarged after every change of the document, by whomever.
function createFigures() {
  const before = new Map()
  let [watched, timer] = [null, 0]
  const enlarge = () => {
    for (const model of window.Bokeh?.documents[0]?.all_models ?? []) {
      if (!OWNERS.test(model.type)) { continue }
      const title = model.type === "Title"
      const size = title ? titleText() : figureText()
      const names = (title ? ["text_font_size"] : SIZES)
        .filter((name) => name in model.attributes && model.attributes[name] !== size)
      if (names.length === 0) { continue }
      const was = names.map((name) => [name, model.attributes[name]])
      before.set(model, {...before.get(model), ...Object.fromEntries(was)})
      model.setv(Object.fromEntries(names.map((name) => [name, size])))
    }
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(enlarge, SOON)
  }
  const watch = (now) => {
    watched?.remove_on_change(later)
    now?.on_change(later)
    watched = now
  }
  const start = () => {
    const [now = null] = window.Bokeh?.documents ?? []
    if (now !== watched) { watch(now) }
    later()
  }
  const stop = () => {
    clearTimeout(timer)
    watch(null)
    for (const [model, sizes] of before) { model.setv(sizes) }
    before.clear()
  }
  return {start, stop}
}

// The plane lies over the regret while it is shown, and the lesson's text over the pictures.
const PRESSED = {
  d: {"--present-plane": "flex"},
  t: {"--present-text": "block"},
}
const BAR = "--lab-bar" // of the page's theme: whether it is there
const ASKED = {r: "regret", p: "predict", f: "truth", b: "wider", B: "narrower", l: "longer", L: "shorter"}
const TEXTS = "textarea, select, [contenteditable=''], [contenteditable=true]," +
  "input:not([type=checkbox], [type=radio], [type=range], [type=button])"

function createPressed(page) {
  const shown = new Set()
  const draw = () => {
    for (const [key, properties] of Object.entries(PRESSED)) {
      for (const [name, value] of Object.entries(properties)) {
        page.style.setProperty(name, shown.has(key) ? value : "")
      }
    }
  }
  const toggle = (key) => {
    if (!shown.delete(key)) { shown.add(key) }
    draw()
  }
  const clear = () => {
    shown.clear()
    draw()
  }
  return {toggle, clear}
}

function build() {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "in-bar folds"
  button.title = "Present: large text, thick lines, no settings; ? lists the keys, Escape ends it"
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICON}"/></svg>
    <span class="label">${LABEL}</span>`
  return button
}

export function render({model}) {
  const button = build()
  const page = document.documentElement
  const narrow = window.matchMedia("(max-width: 999px)")
  const figures = createFigures()
  const pressed = createPressed(page)
  const drawFigures = () => { if (model.presented) { figures.start() } else { figures.stop() } }
  const draw = () => {
    button.setAttribute("aria-pressed", model.presented)
    page.style.fontSize = model.presented ? text() : ""
    page.style.setProperty(BAR, model.presented && !narrow.matches ? "none" : "")
    if (!model.presented) { pressed.clear() }
    drawFigures()
    tellPlace({present: model.presented})
  }
  const set = (on) => {
    if (on === model.presented) { return }
    model.send_msg({presented: on})
    if (on) {
      page.requestFullscreen?.().catch(() => {}) // a link or a frame may not have it
    } else if (document.fullscreenElement) {
      document.exitFullscreen()
    }
  }
  const onLetter = (event) => {
    const field = event.composedPath()[0]
    if (!model.presented || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey ||
        (field instanceof Element && field.matches(TEXTS))) { return }
    if (event.key in PRESSED) { pressed.toggle(event.key) }
    if (event.key === "c") {
      event.preventDefault()
      document.dispatchEvent(new CustomEvent("lab:candidate"))
    }
    if (event.key in ASKED) { model.send_msg({asked: ASKED[event.key]}) }
  }
  const onKey = (event) => {
    onLetter(event)
    if (event.key === "Escape" && !event.defaultPrevented) { set(false) }
  }
  // The browser takes Escape for itself to leave the whole screen.
  const onScreen = () => { if (!document.fullscreenElement) { set(false) } }
  button.addEventListener("click", () => set(!model.presented))
  document.addEventListener("keydown", onKey)
  document.addEventListener("fullscreenchange", onScreen)
  model.on("presented", draw)
  model.on("after_render", draw)
  model.on("remove", () => {
    pressed.clear()
    figures.stop()
    page.style.removeProperty(BAR)
    document.removeEventListener("keydown", onKey)
    document.removeEventListener("fullscreenchange", onScreen)
  })
  return button
}
