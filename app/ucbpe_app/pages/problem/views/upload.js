// A place to drop a file on, and a button to choose one. A file that is too large is not sent.

export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = `
    <label class="drop">
      <input type="file" class="hidden">
      <span class="choose"></span>
      <span class="quiet hint"></span>
    </label>
    <p class="fault" role="alert"></p>`
  const [input, choose, hint, fault, drop] = ["input", ".choose", ".hint", ".fault", ".drop"]
    .map((name) => root.querySelector(name))

  const draw = () => {
    choose.textContent = model.label
    hint.textContent = model.hint
    input.accept = model.accept
    fault.textContent = model.fault
  }
  const take = async (file) => {
    if (!file) { return }
    if (file.size > model.limit) {
      const [most, got] = [model.limit, file.size].map((size) => (size / 1e6).toPrecision(2) * 1)
      fault.textContent = `Expected at most ${most} MB; got ${got} MB. It was not read.`
      return
    }
    fault.textContent = ""
    sendInParts(model, file.name, new Uint8Array(await file.arrayBuffer()))
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
  for (const name of ["label", "hint", "accept", "fault"]) { model.on(name, draw) }
  draw()
  return root
}
