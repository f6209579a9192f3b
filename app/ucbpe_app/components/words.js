// Words of sentences and captions that act, wherever on the page: those with `data-mark` light a mark,
// those with `data-drag` are numbers that a pointer drags or arrow keys move.

const DOUBLES = 120 // px that double a number
const BY_KEY = 2 ** (1 / 8)
const KEYS = {ArrowUp: BY_KEY, ArrowDown: 1 / BY_KEY}

// Calls `act` with what is done; returns what ends that.
function listenToWords(act) {
  const word = (event, attribute) => event.composedPath()
    .find((node) => node instanceof Element && node.hasAttribute(attribute))
  let lit = ""
  // By moves and keys: of what is entered and left inside one shadow root, a window hears nothing.
  const light = (event) => {
    const mark = word(event, "data-mark")?.dataset.mark ?? ""
    if (mark !== lit) {
      lit = mark
      act({do: "light", mark})
    }
  }
  const scrub = (node, factor) => {
    act({do: "scrub", factor: factor ** Number(node.dataset.power)})
  }
  const onDown = (event) => {
    const node = word(event, "data-drag")
    if (!node || event.button !== 0) { return }
    event.preventDefault() // no text is selected
    node.focus()
    act({do: "drag", name: node.dataset.drag})
    const from = event.clientX
    let [to, asked] = [from, null]
    const onMove = (moved) => {
      to = moved.clientX
      asked ??= requestAnimationFrame(() => {
        asked = null
        scrub(node, 2 ** ((to - from) / DOUBLES))
      })
    }
    const ends = ["pointerup", "pointercancel"]
    const onUp = () => {
      window.removeEventListener("pointermove", onMove)
      for (const name of ends) { window.removeEventListener(name, onUp) }
      act({do: "release"})
    }
    window.addEventListener("pointermove", onMove)
    for (const name of ends) { window.addEventListener(name, onUp) }
  }
  const onKey = (event) => {
    const node = word(event, "data-drag")
    if (!node || !(event.key in KEYS) || event.ctrlKey || event.altKey || event.metaKey) { return }
    event.preventDefault()
    act({do: "drag", name: node.dataset.drag})
    scrub(node, KEYS[event.key])
    act({do: "release"})
  }
  const listeners = [["pointermove", light], ["keyup", light],
    ["pointerdown", onDown], ["keydown", onKey]]
  for (const one of listeners) { window.addEventListener(...one) }
  return () => { for (const one of listeners) { window.removeEventListener(...one) } }
}
