// Has the address follow the screen, so that a reload shows the same moment: the server gives the
// query of a link with every change but a step, which needs no word of it. What of the query a step
// changes is in `ucbpePlace`, where timelines write it: `event` or `at`; and `present` if on.

// ms without a change: a write would delay the drawing of steps made one after the other, and
// browsers refuse more than some hundred in half a minute.
const WRITE_AFTER = 400

function queryOf(query, {present, ...place}) {
  for (const [name, value] of Object.entries(place)) {
    query = query.replace(new RegExp(`(^|&)${name}=[^&]*`), `$1${name}=${value}`)
  }
  return present ? `${query}&present=1` : query
}

function putInAddress(query) {
  const {origin, pathname} = window.location
  // Bokeh and Panel keep nothing in the state, but what others keep is theirs.
  try { history.replaceState(history.state, "", `${origin}${pathname}?${query}`) } catch { return false }
  return true
}

// Returns what ends it. An address is left as it is until the screen shows another moment than the
// one that it has opened.
function followScreen(model) {
  let [written, timer] = [null, null]
  const presented = model.presents && /[?&]present=1(&|$)/.test(window.location.search)
  const write = () => {
    clearTimeout(timer)
    if (!model.query) { return } // a link is being opened
    const place = {present: presented, ...window.ucbpePlace}
    const query = queryOf(model.query, place)
    if (query !== written && putInAddress(query)) { written = query }
  }
  const request = () => {
    // The first query belongs to the event that the address opened.
    if (model.query) { written ??= queryOf(model.query, {present: presented}) }
    clearTimeout(timer)
    timer = setTimeout(write, WRITE_AFTER)
  }
  model.on("query", request)
  window.addEventListener("ucbpe-place", request)
  for (const event of ["ucbpe-return", "beforeunload"]) { window.addEventListener(event, write) }
  request()
  return () => {
    clearTimeout(timer)
    window.removeEventListener("ucbpe-place", request)
    for (const event of ["ucbpe-return", "beforeunload"]) { window.removeEventListener(event, write) }
  }
}
