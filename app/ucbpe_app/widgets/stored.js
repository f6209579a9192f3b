// An object as JSON in `localStorage` or `sessionStorage`; where that is denied, or was written by something
// else, nothing is there.

function stored(area, key) {
  try { return Object(JSON.parse(window[area].getItem(key))) } catch { return {} }
}

function store(area, key, value) {
  try { window[area].setItem(key, JSON.stringify(value)) } catch { /* as above */ }
}
