// Which keys undo and redo, unless a text field has the focus, which has an undo of its own.

const TEXT_FIELDS = "textarea, [contenteditable=''], [contenteditable=true]," +
  "input:not([type=checkbox], [type=radio], [type=range], [type=button])"

function keyOf(event) {
  if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey)) { return null }
  const field = event.composedPath()[0]
  if (field instanceof Element && field.matches(TEXT_FIELDS)) { return null }
  const key = event.key.toLowerCase()
  if (key === "y") { return "redo" }
  return key === "z" ? (event.shiftKey ? "redo" : "undo") : null
}
