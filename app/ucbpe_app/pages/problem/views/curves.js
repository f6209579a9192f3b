// Keeps the drawn curve in this browser, so that a reload shows it again: this tab its own, and the
// database the one drawn last, which a new tab goes on from.

const CURVES = {name: "ucbpe-drawn", stores: {curves: "name"}}
const DRAWN = "ucbpe-drawn" // of this tab: written at once, while a database may be too late
const LAST = "last"
const KEPT = "This curve is kept in this browser."
const NOT_KEPT = "This browser keeps no copy of the curve (a private window?): a reload loses it."

function keepAtOnce(record) {
  try { sessionStorage.setItem(DRAWN, JSON.stringify(record)) } catch { /* as below */ }
}

function keptAtOnce() {
  try { return JSON.parse(sessionStorage.getItem(DRAWN)) } catch { return null }
}

function keptLast() {
  return transact(CURVES, "readonly", (give, store) => {
    store.get(LAST).onsuccess = ({target}) => give(target.result)
  }).catch(() => null) // a private window
}

export function render({model}) {
  const root = element("div", {className: "quiet"})
  const own = keptAtOnce()
  const tab = own?.tab ?? Math.random().toString(36).slice(2)
  let drawn = [] // what was drawn last
  const keep = async () => {
    const {points} = model
    if (!points.length) { return } // nothing is drawn yet
    const record = {name: LAST, tab, points, time: Date.now()}
    drawn = points
    root.textContent = ""
    keepAtOnce(record) // a reload does not wait for the database
    let isKept = true
    try {
      await transact(CURVES, "readwrite", (_, store) => store.put(record))
    } catch { isKept = false }
    if (points === drawn) { root.textContent = isKept ? KEPT : NOT_KEPT }
  }
  // After a crash a browser brings a tab back with what it had written by then, which may be older.
  const restore = async () => {
    const last = await keptLast()
    const isNewer = last && (!own || (last.tab === tab && last.time > own.time))
    const record = isNewer ? last : own
    if (record) { model.send_msg({points: record.points}) }
  }
  model.on("points", keep)
  if (model.points.length) { keep() } else { restore() } // a fast hand may have drawn before this runs
  return root
}
