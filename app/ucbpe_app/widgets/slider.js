// A slider that is dragged, or moved by keys. Its value is shown in the field next to it, and is read out.

export function render({model}) {
  const root = document.createElement("div")
  root.className = "slider"
  root.innerHTML = `<input type="range">`
  const [input] = root.children
  const place = () => {
    input.value = model.value
    root.style.setProperty("--at", (model.value - model.start) / (model.end - model.start))
  }
  const limit = () => {
    Object.assign(input, {min: model.start, max: model.end, step: model.step})
    place() // the browser keeps the value within
  }
  const write = () => { input.setAttribute("aria-valuetext", model.value_label) }
  input.setAttribute("aria-label", model.label)
  input.dataset.setting = model.setting
  input.addEventListener("input", () => { model.value = input.valueAsNumber })
  model.on(["start", "end"], limit)
  model.on("value", place)
  model.on("value_label", write)
  limit()
  write()
  return root
}
