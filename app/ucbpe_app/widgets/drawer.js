// The settings column right of the pictures: open or closed, as it was left in this browser. The style
// sheets of the page read the properties that are set here. On a narrow screen the button in the bar
// opens a sheet with all settings over half of the page, so that the picture which they change stays
// in sight; where a page has none, its settings are its end, to which that button leads, and back.

const NAME = "ucbpe-settings"
const OPEN = {"--lab-drawer": "flex"}
const SHOWN = {"--lab-sheet": "flex", "--lab-over-end": "0px"}
const [STEADY, MOST] = [200, 4000] // ms: for so long no field is added, and how long that is waited for
const SHEET = "lab:sheet" // an event of the window: whether the sheet is to be `shown`
const MENU = "lab:menu" // another: all menus close but the one that it names

// Where storage is denied, the column is closed with every page.
function wasOpen() {
  try { return localStorage.getItem(NAME) === "open" } catch { return false }
}

function remember(open) {
  try { localStorage.setItem(NAME, open ? "open" : "closed") } catch { /* as above */ }
}

// Where a page has its settings on a narrow screen, what it begins with, and its pictures.
const SETTINGS = ".wide-strip, .lab-strip, .lab-drawer"
const BEGIN = ".wide-band, .lab-problem-bar"
const PICTURES = ".lab-pictures, .lab-body"

// Parts that are not on screen have no box.
const hasBox = (node) => node.getClientRects().length > 0

function find(selector, counts = hasBox, root = document) {
  for (const found of root.querySelectorAll(selector)) {
    if (counts(found)) { return found }
  }
  for (const node of root.querySelectorAll("*")) {
    const within = node.shadowRoot && find(selector, counts, node.shadowRoot)
    if (within) { return within }
  }
  return null
}

// How many there are, in shadow roots as well.
function deep(root, selector) {
  const within = Array.from(root.querySelectorAll("*"), (one) => (one.shadowRoot ? deep(one.shadowRoot, selector) : 0))
  return within.reduce((sum, n) => sum + n, root.querySelectorAll(selector).length)
}

function scroll() {
  const settings = find(SETTINGS)
  const there = settings.getBoundingClientRect().top < window.innerHeight / 2
  const to = there ? find(BEGIN) : settings
  to.scrollIntoView({block: "start"})
}

function put(properties, on) {
  const {style} = document.documentElement
  for (const [name, value] of Object.entries(properties)) {
    if (on) { style.setProperty(name, value) } else { style.removeProperty(name) }
  }
}

const ask = (shown) => window.dispatchEvent(new CustomEvent(SHEET, {detail: {shown}}))

// The one in the bar, which is there on a narrow screen.
function addToBar(model, button) {
  if (!model.sheet) {
    button.title = "Settings: to them, and back"
    button.addEventListener("click", scroll)
    return
  }
  const isShown = () => button.getAttribute("aria-expanded") === "true"
  button.setAttribute("aria-expanded", false)
  button.addEventListener("click", () => ask(!isShown()))
  const tell = ({detail: {shown}}) => {
    if (isShown() && !shown) { button.focus({preventScroll: true}) }
    button.setAttribute("aria-expanded", shown)
  }
  window.addEventListener(SHEET, tell)
  model.on("remove", () => window.removeEventListener(SHEET, tell))
}

export function render({model}) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = model.in_bar ? "in-bar" : "own"
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h9M17 7h3M15 4v6M4 17h3M11 17h9M9 14v6"/></svg>
    <span class="name">Settings</span><span class="done">Done</span>`
  if (model.in_bar) {
    addToBar(model, button)
    return button
  }
  let [open, shown, seen, filled] = [wasOpen(), false, false, false]
  const narrow = window.matchMedia("(max-width: 999px)")
  const fill = () => {
    if (seen) { return }
    seen = true
    model.send_msg({})
    let [count, left] = [0, MOST / STEADY]
    const look = () => { // fields are drawn one after the other
      const column = find(".lab-drawer", () => true)
      const before = count
      count = column?.shadowRoot ? deep(column.shadowRoot, "input") : 0
      filled = !column || (count > 0 && count === before) || !left--
      if (filled) { draw() } else { setTimeout(look, STEADY) }
    }
    look()
  }
  const draw = () => {
    if (narrow.matches ? shown || !model.sheet : open) { fill() }
    button.setAttribute("aria-expanded", narrow.matches ? shown : open)
    button.setAttribute("aria-busy", open && !filled && !narrow.matches)
    put(OPEN, open && filled)
    put(SHOWN, shown)
  }
  const turn = ({detail}) => {
    shown = detail.shown && narrow.matches
    draw()
    if (shown) {
      find(PICTURES)?.scrollIntoView({block: "start"})
    } else {
      window.dispatchEvent(new CustomEvent(MENU, {detail: ""})) // a menu's button is in the sheet
    }
  }
  const toggle = () => {
    open = !open
    remember(open)
    draw()
  }
  const isOpen = () => narrow.matches ? shown : open && button.checkVisibility()
  const close = () => {
    if (narrow.matches) { return ask(false) }
    button.focus()
    toggle()
  }
  const resized = () => {
    if (shown) { ask(false) }
    draw()
  }
  button.addEventListener("pointerenter", fill) // it is there when it is clicked
  button.addEventListener("focus", fill)
  button.addEventListener("click", () => { if (narrow.matches) { close() } else { toggle() } })
  // On the window, after all that lies over the column and takes the key for itself.
  const onKey = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !isOpen()) { return }
    event.preventDefault()
    close()
  }
  window.addEventListener("keydown", onKey)
  window.addEventListener(SHEET, turn)
  narrow.addEventListener("change", resized)
  model.on("remove", () => {
    narrow.removeEventListener("change", resized)
    window.removeEventListener(SHEET, turn)
    window.removeEventListener("keydown", onKey)
    put(SHOWN, false)
  })
  model.on("after_render", draw)
  const head = document.createElement("div") // of the sheet, with its title next to the button
  head.className = "head"
  head.innerHTML = "<h2>Settings</h2>"
  head.append(button)
  return head
}
