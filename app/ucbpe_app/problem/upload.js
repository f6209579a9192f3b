// A place to drop a file on, a button to choose one and, if that is offered, a field to paste a text.

export function render({model}) {
  const input = element("input", {type: "file", className: "hidden"})
  const choose = element("span", {className: "choose"})
  const hint = element("span", {className: "quiet hint"})
  const drop = element("label", {className: "drop"}, input, choose, hint)
  const fault = faultLine()

  const take = async (file) => {
    if (file) { await sendFile(model, file.name, file, fault) }
  }
  input.addEventListener("change", async () => {
    await take(input.files[0])
    input.value = "" // so that the same file can be chosen again, once corrected
  })
  for (const name of ["dragover", "dragenter"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault()
      drop.classList.add("over")
    })
  }
  for (const name of ["dragleave", "drop"]) {
    drop.addEventListener(name, () => drop.classList.remove("over"))
  }
  drop.addEventListener("drop", (event) => {
    event.preventDefault()
    take(event.dataTransfer.files[0])
  })
  const pasted = () => {
    const area = element("textarea", {
      rows: 5, spellcheck: false, wrap: "off", placeholder: model.example,
    })
    const read = button("Read what is pasted", {
      disabled: true,
      onclick: () => sendFile(model, "Pasted table", new Blob([area.value]), fault),
    })
    area.addEventListener("input", () => { read.disabled = !area.value.trim() })
    const name = element("span", {className: "name"}, model.paste)
    return [element("label", {}, name, area), read]
  }
  follow(model, ["label", "hint", "accept", "fault"], () => {
    choose.textContent = model.label
    hint.textContent = model.hint
    input.accept = model.accept
    fault.textContent = model.fault
  })
  return element("div", {}, drop, fault, ...(model.paste ? pasted() : []))
}
