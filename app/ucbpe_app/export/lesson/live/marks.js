// Picks as marks with numbers: ucbpe_app.figures.marks.

const [SIZE, CURRENT_SIZE, RING_SIZE] = [16, 21, 29]
const EDGE = 0.88
const [GAP, CURRENT_GAP] = [9, 18]
const [DARK, LIGHT, CLEAR] = ["#000000", "#FFFFFF", "#00000000"]

function shapes({marker, color}, {current}, [x, y]) {
  const size = current ? CURRENT_SIZE : SIZE
  const row = (marker, size, fill, line, width) => ({x, y, marker, size, fill, line, width})
  const ring = [row("circle", RING_SIZE, CLEAR, DARK, 4), row("circle", RING_SIZE, CLEAR, LIGHT, 2)]
  return [...current ? ring : [], row(marker, size, CLEAR, DARK, 3),
    row(marker, size, color, LIGHT, 1)]
}

// A star alone is x0: it has no number.
function label({number, role, current}, [x, y], [low, high]) {
  if (number === 0 && role === "ucb") { return [] }
  const gap = current ? CURRENT_GAP : GAP
  const offset = x > low + EDGE * (high - low) ? -gap : gap
  return [{x, y, text: String(number), align: offset > 0 ? "left" : "right", offset}]
}

const columns = (names, rows) => Object.fromEntries(
  names.map((name) => [name, rows.map((row) => row[name])]))

export function shapesAndNumbers(lexicon, picks, places, extent, numbered, name, out) {
  const marks = picks.flatMap((pick, k) => shapes(lexicon.roles[pick.role], pick, places[k]))
  const numbers = numbered ? picks.flatMap((pick, k) => label(pick, places[k], extent)) : []
  out.source(`${name}.shapes`, columns(["x", "y", "marker", "size", "fill", "line", "width"], marks))
  out.source(`${name}.numbers`, columns(["x", "y", "text", "align", "offset"], numbers))
}

// The columns of ucbpe_app.pictures.marks.picks.
export function picksAt(lexicon, picks, x, y) {
  const roles = picks.map(({role}) => lexicon.roles[role])
  return {
    x,
    y,
    marker: roles.map(({marker}) => marker),
    color: roles.map(({color}) => color),
    size: picks.map(({current}, k) => roles[k].sizes[Number(current)]),
    alpha: picks.map(({current}) => Number(current)),
  }
}
