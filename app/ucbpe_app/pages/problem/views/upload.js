// A place to drop a file on, and a button to choose one.

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
  follow(model, ["label", "hint", "accept", "fault"], () => {
    choose.textContent = model.label
    hint.textContent = model.hint
    input.accept = model.accept
    fault.textContent = model.fault
  })
  return element("div", {}, drop, fault)
}
