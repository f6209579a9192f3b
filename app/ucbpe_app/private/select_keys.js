// A bug of panel-material-ui 0.16 mended, until tests/browser/test_step.py says that it is gone.
//
// Title: *Select does not open by the keyboard.*
//
// `Select.jsx` controls `open` and sets it in `onClick` alone. MUI's Select handles Enter, Space and the
// arrows itself: it prevents their default and calls `onOpen`, which is not given. So a list that has the
// focus cannot be opened without a pointer. Remedy: `onOpen={() => setOpen(true)}` in place of `onClick`,
// which MUI calls for the pointer as well.
const OPENING = new Set(["Enter", " ", "ArrowUp", "ArrowDown"])
const CLOSED = "[role=combobox][aria-haspopup=listbox]:not([aria-expanded=true])"
document.addEventListener("keydown", (event) => {
  const [node] = event.composedPath()
  const isClosed = node instanceof Element && node.matches(CLOSED)
  if (!isClosed || !OPENING.has(event.key) || !event.defaultPrevented) { return }
  // The focus goes into the list, which would take the end of a press of Space for a choice.
  if (event.key === " ") { document.addEventListener("keyup", () => node.click(), {once: true}) } else { node.click() }
})

