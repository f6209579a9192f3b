// Which keys of the page step. They step unless a text caret or an open list needs them. Sliders,
// groups of buttons and the like have arrows of their own, too, which count where the keyboard has
// put the focus: some of their parts cannot be reached without. After a click they step. A slider that
// was clicked loses the focus; one that has it, whatever has put it there, has the arrows.

// PageUp and PageDown are what presenters' clickers send.
const KEYS = {
  "ArrowLeft": "previous", "ArrowRight": "next", "PageUp": "previous", "PageDown": "next",
  "Shift+ArrowLeft": "previousBatch", "Shift+ArrowRight": "nextBatch",
  "Home": "first", "End": "last", " ": "play", "s": "skip",
}

const LINES = ["checkbox", "radio", "range", "button", "submit", "reset", "file"]
  .reduce((text, type) => `${text}:not([type=${type}])`, "input") // of text, one each
const LISTS = ["[role=combobox][aria-expanded=true]", "select", "dialog",
  ...["listbox", "option", "menu", "menuitem", "dialog"].map((role) => `[role=${role}]`)].join()
const TEXTS = [LINES, "textarea", "[contenteditable=true]", "[contenteditable='']",
  "[role=textbox]", "[role=spinbutton]"].join()
const SLIDERS = "[type=range], [role=slider]"
const KEEPS = "[data-keeps]" // a slider that is a question: arrows answer it after a tap, too
const PRESSED_BY_SPACE = "button, a, summary, input, [role=button], [role=switch], [role=checkbox], [role=combobox]"
const MOVED_BY_ARROWS = `${SLIDERS}, [type=radio], [role=radio], [role=tab]`

// A page may have a timeline in a part that is not on screen.
function isShown(node) { return node.isConnected && (node.checkVisibility?.() ?? true) }

// Calls `act` with what a key means, while `isMeant` has it that keys are for us; returns what
// ends that. `slider` is our own: the browser moves it by its arrows.
function listenForKeys({isMeant, slider, act}) {
  let byKeyboard = false // whether the keyboard has put the focus where it is
  let down = false // whether a pointer is
  const isKept = (event) => (
    byKeyboard || (!down && event.composedPath()[0]?.matches?.(SLIDERS)))
  const nameOf = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) {
      return undefined
    }
    return KEYS[(event.shiftKey ? "Shift+" : "") + event.key]
  }
  const has = (event, selector) => event.composedPath()
    .some((node) => node instanceof Element && node.matches(selector))
  const step = (event) => {
    const name = nameOf(event)
    if (name === "play" && has(event, PRESSED_BY_SPACE)) { return }
    if (!name || has(event, TEXTS) || has(event, LISTS) || !isMeant()) { return }
    event.preventDefault()
    event.stopPropagation()
    act(name)
  }
  // A committed line of text gives the keys back. Its own listeners come first.
  const leave = (event) => {
    const [line] = event.composedPath()
    if (line instanceof Element && line.matches(LINES) && !has(event, LISTS) && isMeant()) {
      setTimeout(() => line.blur())
    }
  }
  const before = (event) => { // before the element with the focus gets the key
    if (event.key === "Tab") { byKeyboard = true }
    if (event.key === "Enter" && !event.isComposing) { leave(event) }
    if (!isKept(event)) { step(event) }
  }
  const after = (event) => {
    const own = event.composedPath()[0] === slider ? !event.shiftKey : has(event, MOVED_BY_ARROWS)
    if (isKept(event) && !own) { step(event) }
  }
  const onDown = () => { [byKeyboard, down] = [false, true] }
  const onUp = () => setTimeout(() => {
    down = false
    const node = focusedElement()
    if (!byKeyboard && node?.matches(SLIDERS) && !node.matches(KEEPS)) { node.blur() }
  })
  const listeners = [["keydown", before, true], ["keydown", after, false],
    ["pointerdown", onDown, true], ["pointerup", onUp, true], ["pointercancel", onUp, true]]
  for (const one of listeners) { document.addEventListener(...one) }
  return () => { for (const one of listeners) { document.removeEventListener(...one) } }
}

const SWIPE = 60 // px across, and less than half as much down

// What only sticks out of its place, as labels of a picture do, does not scroll.
const scrolls = (node) => (
  node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX))

// Calls `act` with the event that a finger swipes to, anywhere but on what it moves or scrolls itself;
// returns what ends that.
function listenForSwipes({isMeant, act}) {
  let from = null
  const onDown = (event) => {
    const own = event.composedPath().some((node) => node instanceof Element &&
      (node.matches("input, textarea, .items, .field, [role=slider]") || scrolls(node)))
    from = event.pointerType === "touch" && !own && isMeant() ? event : null
  }
  const onUp = (event) => {
    const [dx, dy] = from ? [event.clientX - from.clientX, event.clientY - from.clientY] : [0, 0]
    from = null
    if (Math.abs(dx) > SWIPE && Math.abs(dy) < Math.abs(dx) / 2) { act(dx < 0 ? "next" : "previous") }
  }
  const onCancel = () => { from = null }
  const listeners = [["pointerdown", onDown], ["pointerup", onUp], ["pointercancel", onCancel]]
  for (const [name, react] of listeners) { document.addEventListener(name, react, true) }
  return () => { for (const [name, react] of listeners) { document.removeEventListener(name, react, true) } }
}
