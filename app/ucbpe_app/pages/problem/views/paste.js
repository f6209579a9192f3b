// A place to paste a table into.

export function render({model}) {
  const name = element("span", {className: "name"})
  const area = element("textarea", {rows: 5, spellcheck: false, wrap: "off"})
  const fault = faultLine()
  const read = button("Read what is pasted", {
    disabled: true,
    onclick: () => sendFile(model, "Pasted table", new Blob([area.value]), fault),
  })
  area.addEventListener("input", () => { read.disabled = !area.value.trim() })
  follow(model, ["label", "hint", "fault"], () => {
    name.textContent = model.label
    area.placeholder = model.hint
    fault.textContent = model.fault
  })
  return element("div", {}, element("label", {}, name, area), fault, read)
}
