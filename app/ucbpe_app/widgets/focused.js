// What has the focus, in whichever shadow root.
function focusedElement() {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) { node = node.shadowRoot.activeElement }
  return node
}

// Whether nothing has it: what had it is gone, out of sight, or cannot be used any more.
function isFocusLost() {
  const node = focusedElement()
  return !node || node === document.body || node.disabled || !node.checkVisibility()
}
