// The experiments that this browser keeps, to resume or to delete.

export function render({model}) {
  const list = element("ul"), fault = faultLine()
  const root = element("div", {hidden: true}, element("h3", {}, "Kept in this browser"), list, fault)

  const resume = async (record) => {
    fault.textContent = ""
    const text = await keptText(record)
    const {identity, key, time, since, inFile} = record
    window.ucbpeOrigin = {identity, key, time, since, inFile}
    sendInParts(model, record.name, new TextEncoder().encode(text))
  }
  const item = (record) => {
    const when = new Date(record.time).toLocaleString([], {dateStyle: "medium", timeStyle: "short"})
    const title = `${record.name}, ${when}`
    const forget = button("Delete", {className: "forget", "aria-label": `Delete: ${title}`})
    forget.addEventListener("click", async () => {
      // A second press within a few seconds does it: what is deleted is gone.
      if (!forget.dataset.sure) {
        forget.dataset.sure = "yes"
        forget.textContent = "Delete for good?"
        setTimeout(() => { delete forget.dataset.sure; forget.textContent = "Delete" }, 4000)
        return
      }
      await forgetRecord(record)
      draw()
    })
    return element("li", {},
      element("span", {className: "words"}, element("strong", {}, record.name),
        element("span", {className: "quiet"}, `${record.summary} · ${when}`)),
      button("Resume", {"aria-label": `Resume: ${title}`, onclick: () => resume(record)}), forget)
  }
  const draw = async () => {
    let records = []
    try {
      records = await keptRecords()
    } catch { /* A private window keeps nothing. */ }
    root.hidden = !records.length
    list.replaceChildren(...records.map(item))
  }
  // What was on screen when the page was loaded again, or the connection lost. That may be so again
  // before it is there: autosave.js forgets the key once it is.
  const goOn = async () => {
    try {
      const key = keyToResume()
      const record = key && (await keptRecords()).find((one) => one.key === key)
      if (record) { await resume(record) } else { forgetResume() }
    } catch { forgetResume() } // It keeps nothing any more: what there is is in the list.
  }
  model.on("fault", () => {
    fault.textContent = model.fault
    if (model.fault) { forgetResume() }
  })
  model.on("count", draw)
  draw()
  goOn()
  return root
}
