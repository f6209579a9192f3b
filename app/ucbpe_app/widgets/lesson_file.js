// A button that asks for a file and sends its text, unless it is too long or no text.

const LABEL = "Open a lesson file"

async function textOf(file) {
  try {
    return new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer())
  } catch {
    return null // not UTF-8, or gone since it was chosen
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = `
    <button type="button" title="${LABEL} from this computer (.toml)">${LABEL}</button>
    <input type="file" accept=".toml,text/plain" hidden aria-label="${LABEL}">`
  const [button, input] = root.children
  // A button and not the input itself: it takes Enter and the space bar, and says only its name.
  button.addEventListener("click", () => input.click())
  input.addEventListener("change", async () => {
    const [file] = input.files
    if (!file) { return }
    const text = file.size > model.largest ? null : await textOf(file)
    model.send_msg({name: file.name, size: file.size, text})
    input.value = "" // so that the same file, corrected, can be opened again
  })
  return root
}
