// The button of a menu. The browser shows and hides the menu's panel at once, and never two: what the server
// answers to a press may come after the next one.

const MENU = "lab:menu" // an event of the window: all menus close but that of this panel

export function render({model, view}) {
  const button = document.createElement("button")
  button.type = "button"
  const draw = () => {
    button.textContent = model.label
    button.setAttribute("aria-expanded", model.value)
  }
  const turn = () => {
    draw()
    view.model.document.get_model_by_name(model.panel).visible = model.value
    if (model.value) { window.dispatchEvent(new CustomEvent(MENU, {detail: model.panel})) }
  }
  const give = ({detail}) => { if (detail !== model.panel) { model.value = false } }
  const onKey = (event) => {
    const field = event.composedPath()[0]
    if (event.key !== "Escape" || event.defaultPrevented || field.matches?.(TEXT_FIELDS)) { return }
    if (model.value && button.checkVisibility()) {
      event.preventDefault()
      button.focus()
      model.value = false
    }
  }
  button.addEventListener("click", () => { model.value = !model.value })
  document.addEventListener("keydown", onKey)
  window.addEventListener(MENU, give)
  model.on("label", draw)
  model.on("value", turn)
  model.on("after_render", draw)
  model.on("remove", () => {
    window.removeEventListener(MENU, give)
    document.removeEventListener("keydown", onKey)
  })
  return button
}
