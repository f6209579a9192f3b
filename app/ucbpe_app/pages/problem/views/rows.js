// Rows of an experiment, each with a field for a result. What is typed and not yet told is kept in
// this browser, so that a closed page or a lost connection takes nothing of it.

export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = `
    <div class="scroll" tabindex="0" role="region"></div>
    <p class="empty quiet"></p>
    <div class="foot">
      <button type="button" class="main tell"></button>
      <p class="fault" role="alert"></p>
      <span class="pages"><button type="button" class="back">Previous rows</button>
        <span class="quiet place"></span>
        <button type="button" class="on">Next rows</button></span>
    </div>`
  const [scroll, empty, tell, fault, pages, back, place, on] = [".scroll", ".empty", ".tell",
    ".fault", ".pages", ".back", ".place", ".on"].map((name) => root.querySelector(name))

  // Drafts: what is typed, by the key of the field.
  let drafts = {}
  const load = () => {
    try {
      drafts = JSON.parse(localStorage.getItem(model.store) || "{}")
    } catch {
      drafts = {}
    }
  }
  const keep = () => {
    if (!model.store) { return }
    try {
      localStorage.setItem(model.store, JSON.stringify(drafts))
    } catch { /* A full or closed storage: the fields still have the drafts. */ }
  }
  const isThere = (key) => model.page.rows.some((row) => row.key === key)
  // Of a list that is whole, only what it shows can be told.
  const ready = () => Object.entries(drafts)
    .filter(([key, text]) => (model.clears || text.trim()) && (model.parted || isThere(key)))

  const say = () => {
    const all = ready()
    const elsewhere = all.filter(([key]) => !isThere(key)).length
    const what = all.length === 1 ? model.one : model.many
    tell.textContent = `${model.verb} ${all.length || ""} ${what}`.replace("  ", " ") +
      (elsewhere ? ` (${elsewhere} not in this list)` : "")
    tell.disabled = !all.length || model.busy
    tell.hidden = !model.page.rows.length && !all.length
  }
  const cell = (tag, text, name = "") => {
    const node = document.createElement(tag)
    node.className = name
    node.textContent = text
    return node
  }
  const field = (row, names) => {
    const input = document.createElement("input")
    input.inputMode = "text" // a phone's number pad may lack the minus sign and the exponent
    input.autocomplete = "off"
    input.dataset.key = row.key
    input.setAttribute("aria-label", `${model.field}, ${names}`)
    input.value = drafts[row.key] ?? row.value
    input.addEventListener("input", () => {
      if (input.value === row.value) {
        delete drafts[row.key]
      } else {
        drafts[row.key] = input.value
      }
      input.removeAttribute("aria-invalid")
      note.textContent = ""
      keep()
      say()
    })
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") { return }
      event.preventDefault()
      const all = [...scroll.querySelectorAll("input")]
      const next = all[all.indexOf(input) + 1]
      if (event.ctrlKey || event.metaKey || !next) {
        tell.focus()
      } else {
        next.focus()
      }
    })
    const note = cell("p", model.faults[row.key] ?? "", "fault")
    note.id = `fault-${row.key}`
    input.setAttribute("aria-describedby", note.id)
    if (model.faults[row.key]) { input.setAttribute("aria-invalid", "true") }
    const holder = cell("td", "", "field")
    holder.append(input)
    if (model.remove) {
      const button = cell("button", "✕")
      button.type = "button"
      button.title = model.remove
      button.setAttribute("aria-label", `${model.remove}: ${names}`)
      button.addEventListener("click", () => model.send_msg({remove: row.key}))
      holder.append(button)
    }
    holder.append(note)
    return holder
  }
  const line = (row) => {
    const {names, numeric} = model.page
    const told = row.cells.slice(0, 2).map((text, i) => `${names[i]} ${text}`).join(", ")
    const node = document.createElement("tr")
    node.dataset.status = row.status
    if (model.status) { node.append(cell("td", row.status, "status")) }
    const kinds = numeric.map((is) => is ? "number" : "")
    if (model.reasons) { kinds[kinds.length - 1] = "why" }
    node.append(...row.cells.map((text, i) => cell("td", text, kinds[i])))
    if (model.field) { node.append(field(row, told)) }
    const heads = [...(model.status ? [model.status] : []), ...names, model.field]
    for (const [i, one] of [...node.children].entries()) { one.dataset.name = heads[i] }
    return node
  }
  const draw = () => {
    const {names, numeric, rows, page, pages: count, total} = model.page
    const focused = root.getRootNode().activeElement?.dataset?.key
    scroll.setAttribute("aria-label", model.caption)
    scroll.hidden = !rows.length
    empty.textContent = rows.length ? "" : model.nothing
    const table = document.createElement("table")
    const head = document.createElement("tr")
    if (model.status) { head.append(cell("th", model.status)) }
    head.append(...names.map((name, i) => cell("th", name, numeric[i] ? "number" : "")))
    if (model.field) { head.append(cell("th", model.field, "field")) }
    for (const one of head.children) { one.scope = "col" }
    table.append(head, ...rows.map(line))
    scroll.replaceChildren(table)
    if (focused) { scroll.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus() }
    pages.hidden = count < 2
    place.textContent = `${page + 1} of ${count}, ${total} rows`
    back.disabled = page === 0
    on.disabled = page === count - 1
    fault.textContent = model.fault
    say()
  }
  tell.addEventListener("click", () => model.send_msg({tell: Object.fromEntries(ready())}))
  back.addEventListener("click", () => model.send_msg({page: model.page.page - 1}))
  on.addEventListener("click", () => model.send_msg({page: model.page.page + 1}))
  model.on("settled", () => {
    for (const key of model.settled) { delete drafts[key] }
    keep()
    draw()
  })
  model.on("store", () => { load(); draw() })
  for (const name of ["page", "faults", "fault"]) { model.on(name, draw) }
  model.on("busy", say)
  load()
  draw()
  return root
}
