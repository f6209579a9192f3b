// The statements by batch, as a grid to move in. The numbers of the cell under the mouse, or else of
// the one in focus, are told below; a selected cell has a link.

const WORDS = {h: "holds", f: "fails", s: "does not apply"}
const MARKS = {h: "M5 13l5 5 9-11", f: "M6 6l12 12M18 6L6 18", s: "M8 12h8"}
const HINT = "Point at a cell, or use the arrow keys, for its numbers; a click or Enter gives a link."
const MOVES = {
  ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0],
  Home: [0, -Infinity], End: [0, Infinity],
}

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.append(...children)
  return node
}

function cellOf(row, r, t) {
  const letter = row.states[t - 1]
  const cell = element("td", {
    role: "gridcell", tabindex: "-1", class: letter, "data-row": r, "data-t": t,
    "aria-label": `${row.title}, t = ${t}: ${WORDS[letter]}. ${row.numbers[t - 1]}`,
  })
  cell.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${MARKS[letter]}"/></svg>
    <span class="t" aria-hidden="true"></span>`
  cell.lastElementChild.textContent = t
  return cell
}

// A statement: what it is, why, its cells, and how many of those that apply hold.
function lineOf(row, r) {
  const applying = [...row.states].filter((letter) => letter !== "s").length
  const holding = [...row.states].filter((letter) => letter === "h").length
  const line = element("tr", {role: "row", class: holding < applying ? "failing" : ""},
    element("th", {scope: "row", role: "rowheader"},
      element("span", {class: "title"}, row.title),
      element("span", {class: "because", title: row.grounds}, row.because)))
  for (let t = 1; t <= row.states.length; t++) { line.append(cellOf(row, r, t)) }
  line.append(element("td", {class: "count"}, `${holding} of ${applying}`))
  return line
}

// The table of some of the rows, of which the first is row `start`.
function tableOf(rows, start) {
  const head = (text, more = {}) =>
    element("th", {scope: "col", role: "columnheader", ...more}, text)
  const top = element("tr", {role: "row"}, head("because of"))
  for (let t = 1; t <= (rows[0]?.states.length ?? 0); t++) {
    top.append(head(String(t), {"data-t": t}))
  }
  top.append(head("holds", {class: "count"}))
  const table = element("table", {role: "grid", "aria-label": "Statements at every batch"},
    element("thead", {role: "rowgroup"}, top),
    element("tbody", {role: "rowgroup"}, ...rows.map((row, i) => lineOf(row, start + i))))
  return element("div", {class: "scroller"}, table)
}

export function render({model}) {
  const scroller = element("div", {class: "tables"})
  const formula = element("span", {class: "formula"})
  const told = element("p", {class: "told"})
  const link = element("a", {class: "link"})
  const readout = element("div", {class: "readout"}, told, formula, link)
  const root = element("div", {class: "statements"}, scroller, readout)
  const at = (r, t) => scroller.querySelector(`td[data-row="${r}"][data-t="${t}"]`)
  let here = {row: 0, t: 1} // the one cell that Tab reaches

  const tell = (cell) => {
    const row = cell && model.rows[cell.row]
    if (!row) {
      told.replaceChildren(element("b", {}, model.summary), ` ${HINT}`)
      formula.replaceChildren()
      return
    }
    const letter = row.states[cell.t - 1]
    const state = element("span", {class: `state ${letter}`}, `${WORDS[letter]} at t = ${cell.t}`)
    told.replaceChildren(element("b", {}, row.title), " ", state, ` ${row.numbers[cell.t - 1]}`)
    formula.replaceChildren(fragment(row.formula), ` ${row.scope}`)
  }
  const chosen = () => "t" in model.selected ? model.selected : null
  const placeOf = (node) => {
    const cell = node.closest?.("td[data-t]")
    return cell && {row: Number(cell.dataset.row), t: Number(cell.dataset.t)}
  }
  const focus = (place) => {
    at(here.row, here.t)?.setAttribute("tabindex", "-1")
    here = place
    const cell = at(here.row, here.t)
    cell?.setAttribute("tabindex", "0")
    return cell
  }
  const build = () => {
    const half = Math.ceil(model.rows.length / 2)
    scroller.replaceChildren(tableOf(model.rows.slice(0, half), 0), tableOf(model.rows.slice(half), half))
    focus({row: 0, t: 1})
    mark()
  }
  const mark = () => {
    const cell = chosen()
    for (const node of scroller.querySelectorAll("[aria-selected], .marked")) {
      node.removeAttribute("aria-selected")
      node.classList.remove("marked")
    }
    if (cell) {
      at(cell.row, cell.t)?.setAttribute("aria-selected", "true")
      scroller.querySelectorAll(`[data-t="${cell.t}"]`).forEach((one) => one.classList.add("marked"))
    }
    tell(cell)
  }
  const address = () => {
    link.hidden = !model.address
    link.href = model.address || "#"
    link.textContent = model.address ? `Open batch ${chosen()?.t} on the Step page` : ""
  }
  const select = (place) => place && model.send_msg(place)

  scroller.addEventListener("pointerover", (event) => tell(placeOf(event.target) ?? chosen()))
  scroller.addEventListener("pointerleave", () => tell(chosen()))
  scroller.addEventListener("focusin", (event) => {
    const place = placeOf(event.target)
    if (place) { focus(place); tell(place) }
  })
  scroller.addEventListener("click", (event) => {
    const place = placeOf(event.target)
    if (place) { focus(place)?.focus(); select(place) }
  })
  scroller.addEventListener("keydown", (event) => {
    const place = placeOf(event.target)
    if (!place || event.ctrlKey || event.metaKey || event.altKey) { return }
    if (event.key === "Enter" || event.key === " ") {
      select(place)
    } else if (event.key in MOVES) {
      const [down, right] = MOVES[event.key]
      const limit = (value, most) => Math.min(Math.max(value, 0), most)
      const row = limit(place.row + down, model.rows.length - 1)
      const t = 1 + limit(place.t - 1 + right, model.rows[row].states.length - 1)
      const cell = focus({row, t})
      cell?.focus()
      cell?.scrollIntoView({block: "nearest", inline: "nearest"})
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  })
  model.on("rows", build)
  model.on("summary", () => tell(chosen()))
  model.on("selected", () => { mark(); address() })
  model.on("address", address)
  build()
  address()
  return root
}
