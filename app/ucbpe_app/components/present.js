// The switch between a page to work at and a page to show: text of 18 pt everywhere, as every size
// in the style sheets counts in rem, and the whole screen where the browser lets a page have it.

const LABEL = "Present"
const ICON = "M3 5h18v11H3zM12 16v4M8 20h8"
// Of 16 px: 0.875 rem, the page's running text, is 18 pt. A phone is held near the eye.
const text = () => window.matchMedia("(max-width: 599px)").matches ? "120%" : "171.5%"

// The theme sets the texts of figures, anew when it is toggled; these come after it, and after what
// the server has drawn for the first time.
const FIGURES = "18pt"
const TITLE = "14pt" // has no more room than its figure is wide
const SIZES = ["axis_label_text_font_size", "major_label_text_font_size", "title_text_font_size"]
const AFTER = 250 // ms
const OWNERS = /Axis$|ColorBar$|^Title$/

function createFigures() {
  const before = new Map()
  const restore = () => {
    for (const [model, sizes] of before) { model.setv(sizes) }
    before.clear()
  }
  const enlarge = () => {
    for (const model of window.Bokeh?.documents[0]?.all_models ?? []) {
      if (!OWNERS.test(model.type)) { continue }
      const title = model.type === "Title"
      const size = title ? TITLE : FIGURES
      const names = (title ? ["text_font_size"] : SIZES)
        .filter((name) => name in model.attributes && model.attributes[name] !== size)
      if (names.length === 0) { continue }
      const was = names.map((name) => [name, model.attributes[name]])
      before.set(model, {...before.get(model), ...Object.fromEntries(was)})
      model.setv(Object.fromEntries(names.map((name) => [name, size])))
    }
  }
  return {restore, enlarge}
}

function build() {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "in-bar folds"
  button.title = "Present: large text, thick lines, no settings (Escape ends it)"
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICON}"/></svg>
    <span class="label">${LABEL}</span>`
  return button
}

export function render({model}) {
  const button = build()
  const page = document.documentElement
  const figures = createFigures()
  let timer
  const drawFigures = () => {
    clearTimeout(timer)
    if (model.presented) { timer = setTimeout(figures.enlarge, AFTER) } else { figures.restore() }
  }
  // Of the toggle of the theme nothing tells but the click.
  document.addEventListener("click", drawFigures)
  const draw = () => {
    button.setAttribute("aria-pressed", model.presented)
    page.style.fontSize = model.presented ? text() : ""
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
  const onKey = (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) { set(false) }
  }
  // The browser takes Escape for itself to leave the whole screen.
  const onScreen = () => { if (!document.fullscreenElement) { set(false) } }
  button.addEventListener("click", () => set(!model.presented))
  document.addEventListener("keydown", onKey)
  document.addEventListener("fullscreenchange", onScreen)
  model.on("presented", draw)
  model.on("drawn", drawFigures)
  model.on("after_render", draw)
  model.on("remove", () => {
    document.removeEventListener("click", drawFigures)
    document.removeEventListener("keydown", onKey)
    document.removeEventListener("fullscreenchange", onScreen)
  })
  return button
}
