// Buttons that ask the server to undo and redo, and their keys; and words that light their marks.

const icon = (path) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`
const ICONS = {
  undo: icon("M8 5 3.5 9.5 8 14M4 9.5h9.5a5.5 5.5 0 0 1 0 11H8"),
  redo: icon("M16 5l4.5 4.5L16 14M20 9.5h-9.5a5.5 5.5 0 0 0 0 11H16"),
}
function build() {
  const root = document.createElement("div")
  root.className = "bar"
  root.setAttribute("role", "group")
  root.setAttribute("aria-label", "Explore")
  root.innerHTML = `
    <button type="button" data-do="undo" aria-label="Undo">${ICONS.undo}</button>
    <button type="button" data-do="redo" aria-label="Redo">${ICONS.redo}</button>`
  const [undo, redo] = root.children
  return {root, undo, redo}
}

// Words of sentences and captions that act, wherever on the page: those with `data-mark` light a mark.
// Calls `act` with what is done; returns what ends that.
function listenToWords(act) {
  let lit = ""
  // By moves and keys: of what is entered and left inside one shadow root, a window hears nothing.
  const light = (event) => {
    const word = event.composedPath()
      .find((node) => node instanceof Element && node.hasAttribute("data-mark"))
    const mark = word?.dataset.mark ?? ""
    if (mark !== lit) {
      lit = mark
      act({do: "light", mark})
    }
  }
  const names = ["pointermove", "keyup"]
  for (const name of names) { window.addEventListener(name, light) }
  return () => { for (const name of names) { window.removeEventListener(name, light) } }
}

export function render({model}) {
  const {root, undo, redo} = build()
  const draw = () => {
    for (const [button, name, key, change] of [
      [undo, "Undo", "Ctrl+Z", model.earlier], [redo, "Redo", "Ctrl+Shift+Z", model.later],
    ]) {
      button.hidden = !model.settable
      // Not `disabled`: a button that becomes so while it has the focus would lose it.
      button.setAttribute("aria-disabled", !change)
      button.title = change ? `${name}: ${change} (${key})` : `Nothing to ${name.toLowerCase()}`
    }
  }
  root.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (button && button.getAttribute("aria-disabled") !== "true") {
      model.send_msg({do: button.dataset.do})
    }
  })
  const onKey = (event) => {
    const name = model.settable && root.isConnected ? keyOf(event) : null
    if (name) {
      event.preventDefault()
      model.send_msg({do: name})
    }
  }
  const endWords = listenToWords((what) => model.send_msg(what))
  document.addEventListener("keydown", onKey)
  model.on(["earlier", "later", "settable"], draw)
  model.on("after_render", draw)
  model.on("remove", () => {
    endWords()
    document.removeEventListener("keydown", onKey)
  })
  return root
}
