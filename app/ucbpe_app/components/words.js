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
