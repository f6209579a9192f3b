// Keeps the drawn curve in this browser, so that a reload shows it again. Each tab has a record of
// its own; a new tab goes on from the curve that was drawn last.

const CURVES = {name: "ucbpe-curves", stores: {curves: "tab"}}
const TAB = "ucbpe-tab"
const DRAWN = "ucbpe-drawn" // of this tab: written at once, while a database may be too late
const KEPT = "This curve is kept in this browser."
const NOT_KEPT = "This browser keeps no copy of the curve (a private window?): a reload loses it."
const MOST = 20 // records; the oldest go

// Calls `use` with the records, the latest first, and their store.
function withCurves(mode, use) {
  return transact(CURVES, mode, (give, store) => {
    store.getAll().onsuccess = ({target}) => {
      give(use(target.result.sort((one, other) => other.time - one.time), store))
    }
  })
}

function tabName() {
  const made = Math.random().toString(36).slice(2)
  try {
    const name = sessionStorage.getItem(TAB) ?? made
    sessionStorage.setItem(TAB, name)
    return name
  } catch {
    return made
  }
}

function keepAtOnce(record) {
  try { sessionStorage.setItem(DRAWN, JSON.stringify(record)) } catch { /* as below */ }
}

function keptAtOnce() {
  try { return JSON.parse(sessionStorage.getItem(DRAWN)) } catch { return null }
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "quiet"
  const tab = tabName()
  let drawn = [] // what was drawn last
  const keep = async () => {
    const {points} = model
    if (!points.length) { return } // nothing is drawn yet
    const record = {tab, points, time: Date.now()}
    drawn = points
    root.textContent = ""
    keepAtOnce(record) // a reload does not wait for the database
    let isKept = true
    try {
      await withCurves("readwrite", (records, store) => {
        for (const {tab: old} of records.slice(MOST - 1)) { store.delete(old) }
        store.put(record)
      })
    } catch { isKept = false } // a private window
    if (points === drawn) { root.textContent = isKept ? KEPT : NOT_KEPT }
  }
  // After a crash a browser brings a tab back with what it had written by then, which may be older.
  const restore = async () => {
    const found = [keptAtOnce()]
    try {
      found.push(...await withCurves("readonly", (records) => {
        const own = records.find((one) => one.tab === tab)
        return own || found[0] ? [own] : records.slice(0, 1)
      }))
    } catch { /* as above */ }
    const [record] = found.filter(Boolean).sort((one, other) => other.time - one.time)
    if (record) { model.send_msg({points: record.points}) }
  }
  model.on("points", keep)
  if (model.points.length) { keep() } else { restore() } // a fast hand may have drawn before this runs
  return root
}
