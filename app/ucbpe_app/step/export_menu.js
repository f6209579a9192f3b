// The button of exports, whose dialog the browser opens at once. It saves the files that the server sends: a
// link is the only way to name a download, and its bytes are taken before it is let go.

const ICON = "M12 4v11M7 11l5 5 5-5M5 20h14"

function save({name, media, data}) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([data], {type: media}))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

export function render({model, view}) {
  const button = document.createElement("button")
  button.className = "in-bar folds"
  button.type = "button"
  button.title = "Export: pictures, the run as a file, a lesson"
  button.setAttribute("aria-haspopup", "dialog")
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICON}"/></svg>
    <span class="label">Export</span>`
  button.addEventListener("click", () => {
    const [dialog] = view.model.document.get_model_by_name(model.panel).children
    dialog.data.open = true
  })
  // The library gives the focus back to the part of the page that the button is in.
  model.on("msg:custom", (message) => { if (message.data) { save(message) } else { button.focus() } })
  return button
}
