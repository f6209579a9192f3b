// The experiments that this browser keeps, to resume or to forget.

export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = `
    <h3>Kept in this browser</h3>
    <ul></ul>
    <p class="fault" role="alert"></p>`
  const [list, fault] = ["ul", ".fault"].map((name) => root.querySelector(name))

  const button = (label, name, title, act) => {
    const node = document.createElement("button")
    node.type = "button"
    node.className = name
    node.textContent = label
    node.setAttribute("aria-label", `${label}: ${title}`)
    node.addEventListener("click", act)
    return node
  }
  const resume = async (record) => {
    fault.textContent = ""
    const text = await keptText(record)
    const {identity, key, time} = record
    window.ucbpeOrigin = {identity, key, time}
    sendInParts(model, record.name, new TextEncoder().encode(text))
  }
  const item = (record) => {
    const when = new Date(record.time).toLocaleString([], {dateStyle: "medium", timeStyle: "short"})
    const title = `${record.name}, ${when}`
    const node = document.createElement("li")
    const words = document.createElement("span")
    words.className = "words"
    const name = document.createElement("strong")
    name.textContent = record.name
    const rest = document.createElement("span")
    rest.className = "quiet"
    rest.textContent = `${record.summary} · ${when}`
    words.append(name, rest)
    const forget = button("Forget", "forget", title, async () => {
      // A second press within a few seconds does it: what is forgotten is gone.
      if (!forget.dataset.sure) {
        forget.dataset.sure = "yes"
        forget.textContent = "Forget for good?"
        setTimeout(() => { delete forget.dataset.sure; forget.textContent = "Forget" }, 4000)
        return
      }
      await forgetRecord(record)
      draw()
    })
    node.append(words, button("Resume", "resume", title, () => resume(record)), forget)
    return node
  }
  const draw = async () => {
    let records = []
    try {
      records = await keptRecords()
    } catch { /* A private window keeps nothing. */ }
    root.hidden = !records.length
    list.replaceChildren(...records.map(item))
  }
  // What was on screen when the connection was lost. The connection may be lost again before it is
  // there: keeper.js forgets the key once it is.
  const goOn = async () => {
    try {
      const key = sessionStorage.getItem(RESUME)
      const record = key && (await keptRecords()).find((one) => one.key === key)
      if (record) { await resume(record) } else { forgetResume() }
    } catch { forgetResume() } // It keeps nothing any more: what there is is in the list.
  }
  model.on("fault", () => {
    fault.textContent = model.fault
    if (model.fault) { forgetResume() }
  })
  model.on("count", draw)
  root.hidden = true
  draw()
  goOn()
  return root
}
