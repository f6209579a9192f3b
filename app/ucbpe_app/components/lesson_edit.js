// The text file of a lesson, written on the page: tried there, and saved by the browser.

const FILE_NAME = /^\s*slug\s*=\s*"([a-z0-9-]+)"/m

// Its element, and `show`, which opens it with a text or closes it with null.
function buildEditor(model, onClose) {
  const root = document.createElement("form")
  root.className = "editor"
  root.hidden = true
  root.innerHTML = `
    <textarea rows="16" maxlength="200000" spellcheck="false" aria-label="Text of the lesson"></textarea>
    <div>
      <button type="submit">Try</button>
      <button type="button" data-do="screen" title="Problem, settings, event and layers as they are now">
        Take what is on screen</button>
      <button type="button" data-do="save">Save file</button>
      <button type="button" data-do="close">Close</button>
    </div>`
  const [text] = root.children
  const save = () => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([text.value], {type: "text/plain"}))
    link.download = `${FILE_NAME.exec(text.value)?.[1] ?? "lesson"}.toml`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href))
  }
  root.addEventListener("submit", (event) => {
    event.preventDefault()
    model.send_msg({edit: "try", text: text.value})
  })
  root.addEventListener("click", (event) => {
    const name = event.target.closest("button")?.dataset.do
    if (name === "screen") { model.send_msg({edit: "screen", text: text.value}) }
    if (name === "save") { save() }
    if (name === "close") { onClose() }
  })
  const show = (words) => {
    root.hidden = words === null
    if (words !== null) { text.value = words }
  }
  return {root, show}
}
