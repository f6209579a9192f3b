// A place to paste a table into. A text that is too large is not sent, and never cut.

export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = `
    <label><span class="name"></span><textarea rows="5" spellcheck="false" wrap="off"></textarea></label>
    <p class="fault" role="alert"></p>
    <button type="button">Read what is pasted</button>`
  const [name, area, fault, button] = [".name", "textarea", ".fault", "button"]
    .map((one) => root.querySelector(one))
  const draw = () => {
    name.textContent = model.label
    area.placeholder = model.hint
    fault.textContent = model.fault
  }
  const follow = () => { button.disabled = !area.value.trim() }
  area.addEventListener("input", follow)
  button.addEventListener("click", () => {
    const bytes = new TextEncoder().encode(area.value)
    if (bytes.length > model.limit) {
      const [most, got] = [model.limit, bytes.length].map((size) => (size / 1e6).toPrecision(2) * 1)
      fault.textContent = `Expected at most ${most} MB; got ${got} MB. It was not read.`
      return
    }
    fault.textContent = ""
    sendInParts(model, "Pasted table", bytes)
  })
  for (const one of ["label", "hint", "fault"]) { model.on(one, draw) }
  draw()
  follow()
  return root
}
