// Keeps the drawn curve in this browser, so that a reload shows it again. Each tab has a record of
// its own; a new tab goes on from the curve that was drawn last.

const CURVES = {name: "ucbpe-curves", stores: {curves: "tab"}}
const TAB = "ucbpe-tab"
const DRAWN = "ucbpe-curve" // of this tab: written at once, while a database may be too late
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

function keepAtOnce(points) {
  try { sessionStorage.setItem(DRAWN, JSON.stringify(points)) } catch { /* as below */ }
}

function keptAtOnce() {
  try { return JSON.parse(sessionStorage.getItem(DRAWN)) } catch { return null }
}

export function render({model}) {
  const root = document.createElement("div")
  root.hidden = true
  const tab = tabName()
  const keep = async () => {
    const {points} = model
    if (!points.length) { return } // nothing is drawn yet
    keepAtOnce(points) // a reload does not wait for the database
    try {
      await withCurves("readwrite", (records, store) => {
        for (const {tab: old} of records.slice(MOST - 1)) { store.delete(old) }
        store.put({tab, points, time: Date.now()})
      })
    } catch { /* A private window keeps nothing. */ }
  }
  const restore = async () => {
    const drawn = keptAtOnce()
    if (drawn) { return model.send_msg({points: drawn}) }
    try {
      const record = await withCurves("readonly", (records) =>
        records.find((one) => one.tab === tab) ?? records[0])
      if (record) { model.send_msg({points: record.points}) }
    } catch { /* as above */ }
  }
  model.on("points", keep)
  restore()
  return root
}
