// The settings column beside the pictures: open or closed, as it was left in this browser. The style
// sheets of the page read the two properties that are set here. On a narrow screen it is the end of
// the page, to which the button in the bar leads, and back.

const NAME = "ucbpe-settings"
const OPEN = {"--lab-drawer": "flex"}

// Where storage is denied, the column is closed with every page.
function wasOpen() {
  try { return localStorage.getItem(NAME) === "open" } catch { return false }
}

function remember(open) {
  try { localStorage.setItem(NAME, open ? "open" : "closed") } catch { /* as above */ }
}

// Where a page has its settings on a narrow screen, and what it begins with.
const SETTINGS = ".lab-strip, .wide-strip, .lab-drawer"
const BEGIN = ".lab-lesson, .wide-band"

// Parts that are not on screen have no box.
function find(selector, root = document) {
  for (const found of root.querySelectorAll(selector)) {
    if (found.getClientRects().length) { return found }
  }
  for (const node of root.querySelectorAll("*")) {
    const within = node.shadowRoot && find(selector, node.shadowRoot)
    if (within) { return within }
  }
  return null
}

function scroll() {
  const settings = find(SETTINGS)
  const there = settings.getBoundingClientRect().top < window.innerHeight / 2
  const to = there ? find(BEGIN) : settings
  to.scrollIntoView({block: "start"})
}

export function render({model}) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = model.in_bar ? "in-bar" : "own"
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h9M17 7h3M15 4v6M4 17h3M11 17h9M9 14v6"/></svg>
    <span>Settings</span>`
  if (model.in_bar) {
    button.title = "Settings: to them, and back"
    button.addEventListener("click", scroll)
    return button
  }
  const style = document.documentElement.style
  let [open, seen] = [wasOpen(), false]
  const narrow = window.matchMedia("(max-width: 999px)")
  const draw = () => {
    if (!seen && (open || narrow.matches)) {
      seen = true
      model.send_msg({seen})
    }
    button.setAttribute("aria-expanded", open)
    for (const [name, value] of Object.entries(OPEN)) {
      if (open) { style.setProperty(name, value) } else { style.removeProperty(name) }
    }
  }
  const toggle = () => {
    open = !open
    remember(open)
    draw()
  }
  button.addEventListener("click", toggle)
  // On the window, after all that lies over the column and takes the key for itself.
  const onKey = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !open || !button.checkVisibility()) { return }
    event.preventDefault()
    button.focus()
    toggle()
  }
  window.addEventListener("keydown", onKey)
  narrow.addEventListener("change", draw)
  model.on("remove", () => {
    narrow.removeEventListener("change", draw)
    window.removeEventListener("keydown", onKey)
  })
  model.on("after_render", draw)
  return button
}
