// Keeps the experiment in this browser at every step, saves it to a file, says what is not saved,
// and asks before the page is left with that. All of it works without the server, too.

const NOT_YET_KEPT = "Connected again. An experiment is kept from its first measurement or batch on: " +
  "start it again."

const ELSEWHERE = "This experiment was continued in another tab: results recorded there are missing here."

// What the tabs of this browser tell each other: the experiment and journal that each has kept.
function tabs() {
  try { return new BroadcastChannel("ucbpe-experiments") } catch { return null }
}

// Whether one journal has all entries of another, and perhaps more.
function goesOnFrom(journal, other) {
  const entries = (text) => text.slice(text.indexOf('"steps":'), text.lastIndexOf("]"))
  return entries(journal).startsWith(entries(other))
}

export function render({model}) {
  const elsewhere = element("span", {className: "elsewhere", "aria-live": "polite"})
  const file = element("span", {className: "file"}), browser = element("span", {className: "quiet"})
  const save = button("Save experiment"), csv = button("Export CSV")
  const root = element("div", {className: "autosave"},
    element("span", {className: "state"}, elsewhere, file, browser), save, csv)
  const others = tabs()
  save.dataset.offline = "" // it works without the server
  const session = Math.random().toString(36).slice(2)
  let saved = {} // by identity: {entries, time}
  let since = null // when the first change that is not in a file was made
  let kept = null
  let onScreen = "" // the identity of what is
  let writing = Promise.resolve() // the last copy
  let leaving = false // to come back: what arrives meanwhile is kept, too, and resumed

  const isUnsaved = () => model.identity && model.entries > 1 &&
    saved[model.identity]?.journal !== model.journal
  const changes = () => {
    const more = model.entries - (saved[model.identity]?.entries ?? 1)
    return more > 0 ? `${more} ${more === 1 ? "change" : "changes"} not in a file` : "not in a file"
  }
  const draw = () => {
    const last = saved[model.identity]
    root.hidden = !model.identity
    root.classList.toggle("unsaved", Boolean(isUnsaved()))
    file.classList.toggle("idle", !isUnsaved() && !last)
    file.textContent = isUnsaved() ? `${changes()}${since ? ` since ${clock(since)}` : ""}`
      : last ? `Saved at ${clock(last.time)}` : "Nothing to save yet"
    browser.textContent = kept?.error
      ? "This browser keeps no copy (a private window?): save often."
      : kept ? `A copy is in this browser (${clock(kept.time)}).` : ""
  }
  // The record that the experiment on screen was resumed from.
  const origin = () => {
    const record = window.ucbpeOrigin
    return record?.identity === model.identity ? record : null
  }
  const keep = async () => {
    const {identity, head, journal, entries, title, summary} = model
    if (!identity || entries < 2) { return }
    const time = new Date().toISOString()
    const key = `${identity}/${session}`
    const inFile = saved[identity]?.journal === journal ? saved[identity].time : null
    const record = {key, identity, journal, entries, name: title, summary, time, since, inFile}
    try {
      await keepRecord(head, record, origin())
      kept = {time, key}
      noteOnScreen(key)
      others?.postMessage({identity, journal})
      if (journal === model.journal) { model.safe = true }
    } catch (error) {
      kept = {error}
    }
    draw()
  }
  if (others) {
    others.onmessage = ({data: {identity, journal}}) => {
      if (identity === model.identity && !goesOnFrom(model.journal, journal)) {
        elsewhere.textContent = ELSEWHERE
      }
    }
  }
  const take = () => {
    if (model.identity && !leaving) { forgetResume() }
    if (model.identity !== onScreen) {
      elsewhere.textContent = ""
      const time = origin()?.inFile // of what is resumed
      if (time) { saved[model.identity] = {journal: model.journal, entries: model.entries, time} }
    }
    onScreen = model.identity
    if (isUnsaved()) { since ??= origin()?.since ?? new Date() }
    if (isUnsaved()) { model.safe = false } // until the copy is written
    writing = keep()
    draw()
  }
  const settled = () => {
    saved[model.identity] = {journal: model.journal, entries: model.entries, time: new Date()}
    since = null
    model.safe = true
    writing = keep() // with that
    draw()
  }
  save.addEventListener("click", () => {
    const now = new Date()
    const two = (number) => String(number).padStart(2, "0")
    const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("-")
    const stem = model.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "experiment"
    download(`${stem}-${day}-${two(now.getHours())}${two(now.getMinutes())}.ucbpe.json`,
      model.head + model.journal, "application/json")
    settled()
  })
  csv.addEventListener("click", () => model.send_msg({csv: true}))
  model.on("download", () => {
    const {name, text} = model.download
    if (text) { download(name, text, "text/csv") }
  })
  const ask = (event) => {
    if (isUnsaved()) {
      event.preventDefault()
      event.returnValue = "" // what browsers before 2023 look at
    }
  }
  window.addEventListener("beforeunload", ask)
  // The page is about to be loaded again, see widgets/connection.js: not before all is kept.
  const isKept = async () => {
    await writing
    if (model.identity && model.entries < 2) { return NOT_YET_KEPT }
    if (model.identity && !kept?.key) { return false }
    if (isUnsaved() && !model.safe) { return false }
    window.removeEventListener("beforeunload", ask)
    leaving = true
    if (model.identity && kept?.key) {
      noteOnScreen(kept.key, RESUME)
    }
    return true
  }
  const returning = ({detail}) => detail.push(isKept())
  window.addEventListener("ucbpe-return", returning)
  // An opened file is saved as it is; every other change of the journal has to be.
  // What comes in one message is there piece by piece: wait for the last.
  model.on("opened", () => setTimeout(settled))
  model.on("journal", () => setTimeout(take))
  model.on("remove", () => {
    others?.close()
    window.removeEventListener("beforeunload", ask)
    window.removeEventListener("ucbpe-return", returning)
  })
  model.send_msg({zone: Intl.DateTimeFormat().resolvedOptions().timeZone})
  take()
  return root
}
