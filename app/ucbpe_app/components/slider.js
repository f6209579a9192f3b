// A slider that is dragged, or moved by keys. What it is at is in its bubble and is read out.

export function render({model}) {
  const root = document.createElement("div")
  root.className = "slider"
  root.innerHTML = `<input type="range"><output aria-hidden="true"></output>`
  const [input, bubble] = root.children
  const place = () => {
    input.value = model.value
    root.style.setProperty("--at", (model.value - model.start) / (model.end - model.start))
  }
  const limit = () => {
    Object.assign(input, {min: model.start, max: model.end, step: model.step})
    place() // the browser keeps the value within
  }
  const write = () => {
    bubble.textContent = model.value_label
    input.setAttribute("aria-valuetext", model.value_label)
  }
  // Escape puts the bubble away until somebody comes back to the slider, or moves it.
  const onKey = ({key}) => { if (key === "Escape") { root.classList.add("dismissed") } }
  for (const type of ["pointerenter", "focusin", "input"]) {
    root.addEventListener(type, () => root.classList.remove("dismissed"))
  }
  document.addEventListener("keydown", onKey, true)
  input.setAttribute("aria-label", model.label)
  input.dataset.setting = model.setting
  input.addEventListener("input", () => { model.value = input.valueAsNumber })
  model.on(["start", "end"], limit)
  model.on("value", place)
  model.on("value_label", write)
  model.on("remove", () => document.removeEventListener("keydown", onKey, true))
  limit()
  write()
  return root
}
