// Rows of an experiment, each with a field for a result. What is typed for the open batch and not yet
// recorded is kept in this browser, so that a closed page or a lost connection takes nothing of it.

export function render({model}) {
  const ask = (message) => model.send_msg(message)
  const scroll = element("div", {className: "scroll", tabIndex: 0, role: "region"})
  const table = element("table"), empty = element("p", {className: "empty quiet", tabIndex: -1})
  const record = button("", {className: "main record"}), fault = faultLine()
  const back = button("Previous rows", {onclick: () => ask({page: model.page.page - 1})})
  const place = element("span", {className: "quiet"})
  const on = button("Next rows", {onclick: () => ask({page: model.page.page + 1})})
  const pages = element("span", {className: "pages"}, back, place, on)

  // A press can take away what has the focus. It goes to the first empty field then, or to the table:
  // never to another button, which a second press of the same key would act on.
  let pressed = false
  const resume = () => {
    if (!pressed || model.busy || !isFocusLost()) { return }
    const fields = [...scroll.querySelectorAll("input")]
    const to = fields.find(({value}) => !value.trim()) ?? (scroll.hidden ? empty : scroll)
    to.focus()
    pressed = false
  }
  const act = (message) => {
    pressed = true
    ask(message)
  }
  const actions = element("span", {className: "actions"})
  // As the rows, each of these buttons stays while it is there, and none becomes another.
  const offer = () => {
    const names = model.actions.map(([name]) => name)
    for (const one of [...actions.children]) { if (!names.includes(one.dataset.name)) { one.remove() } }
    for (const [i, [name, label, filled]] of model.actions.entries()) {
      const there = [...actions.children].find((one) => one.dataset.name === name)
      const one = there ?? button("", {"data-name": name})
      if (actions.children[i] !== one) { actions.insertBefore(one, actions.children[i] ?? null) }
      one.textContent = label
      one.className = filled ? "main" : "plain"
      one.setAttribute("aria-disabled", model.busy)
      one.onclick = ({detail}) => { if (detail < 2 && !model.busy) { act({action: name}) } }
    }
    requestAnimationFrame(resume)
  }

  // Drafts: what is typed, by the key of the field.
  let drafts = {}
  let isKept = true // whether the browser has them, too
  let request = model.settled.request // of the last record; its answer has the same number
  const store = () => `ucbpe-typed:${model.identity}`
  const kept = () => {
    try { return JSON.parse(localStorage.getItem(store())) ?? {} } catch { return {} }
  }
  const load = () => { drafts = model.keeps ? kept() : {} }
  // Another tab may show the same experiment: of what it keeps, only these fields are changed.
  const keep = (keys) => {
    if (!model.keeps) {
      isKept = false
      return
    }
    const all = kept()
    for (const key of keys) {
      if (key in drafts) { all[key] = drafts[key] } else { delete all[key] }
    }
    try {
      localStorage.setItem(store(), JSON.stringify(all))
      isKept = true
    } catch { isKept = false } // A full or closed storage: the fields still have the drafts.
  }
  const isWrong = (key) => scroll.querySelector(`[data-key="${CSS.escape(key)}"][aria-invalid]`) !== null
  const isThere = (key) => model.page.rows.some((row) => row.key === key)
  // Only what the list shows can be recorded, and is not marked.
  const ready = () => Object.entries(drafts)
    .filter(([key, text]) => (model.clears || text.trim()) && isThere(key) && !isWrong(key))

  const label = () => {
    const all = ready()
    const what = all.length === 1 ? model.noun : `${model.noun}s`
    record.textContent = `${model.verb} ${all.length || ""} ${what}`.replace("  ", " ")
    record.disabled = !all.length || model.busy || model.settled.request !== request
    record.hidden = !model.page.rows.length
  }
  const goOn = (event, input) => {
    if (event.key !== "Enter") { return }
    event.preventDefault()
    if (event.repeat) { return } // a key that is kept down would go on to the button, and press it
    const all = [...scroll.querySelectorAll("input")]
    const next = all[all.indexOf(input) + 1]
    if (event.ctrlKey || event.metaKey || !next) {
      record.focus()
    } else {
      next.focus()
    }
  }
  const field = (row, names) => {
    const wrong = model.faults[row.key]
    const note = element("p", {className: "fault", id: `fault-${row.key}`}, wrong ?? "")
    const input = element("input", {
      inputMode: "text", // a phone's number pad may lack the minus sign and the exponent
      autocomplete: "off",
      value: drafts[row.key] ?? row.value,
      "data-key": row.key,
      "aria-label": `${model.field}, ${names}`,
      "aria-describedby": note.id,
      ...(wrong ? {"aria-invalid": "true"} : {}),
    })
    input.addEventListener("input", () => {
      if (wrong) { lines.delete(row.key) } // made anew at the next answer, which may be the same
      if (input.value === row.value) {
        delete drafts[row.key]
      } else {
        drafts[row.key] = input.value
      }
      input.removeAttribute("aria-invalid")
      note.textContent = ""
      keep([row.key])
      label()
    })
    input.addEventListener("change", () => ask({check: {[row.key]: input.value}}))
    input.addEventListener("keydown", (event) => goOn(event, input))
    const remove = model.remove ? [button("✕", {
      className: "plain",
      title: model.remove,
      "aria-label": `${model.remove}: ${names}`,
      // The second of a double click would be at the row that has come in its place.
      onclick: ({detail}) => { if (detail < 2) { act({remove: row.key}) } },
    })] : []
    return element("td", {className: "field"}, input, ...remove, note)
  }
  const line = (row) => {
    const {names, kinds} = model.page
    const cell = (name, className, text) => element("td", {className, "data-name": name}, text)
    // What changes in a row that stays, as what is expected there, is written into its cells.
    const value = (i) => element("td", {className: kinds[i], "data-name": names[i], "data-cell": i})
    const [sign, color] = row.mark
    const marked = () => {
      const node = element("td", {className: "mark", title: row.status}, sign)
      node.style.color = color
      return node
    }
    const node = element("tr", {"data-status": row.status, "aria-label": row.name},
      ...(sign ? [marked()] : []),
      ...(model.status ? [cell(model.status, "status", row.status)] : []),
      ...row.cells.map((_, i) => value(i)))
    if (model.field) {
      node.append(field(row, row.name))
      node.lastChild.dataset.name = model.field
    }
    return node
  }
  const heads = () => {
    const {names, kinds, rows} = model.page
    const head = (text, className) => element("th", {className, scope: "col"}, text)
    return element("tr", {},
      ...(rows[0]?.mark.length ? [head("", "mark")] : []),
      ...(model.status ? [head(model.status, "")] : []),
      ...names.map((name, i) => head(name, kinds[i])),
      ...(model.field ? [head(model.output || model.field, "field")] : []))
  }
  // What is in the table: by the key of each row its node, and what this was made of. A button that
  // is replaced between press and release gets no click: so what has not changed stays there.
  let lines = new Map()
  const lineOf = (key, of, make) => {
    const made = JSON.stringify(of), last = lines.get(key)
    return [key, last?.made === made ? last : {made, node: make()}]
  }
  const drawTable = () => {
    const {rows, names, kinds} = model.page
    lines = new Map([
      lineOf("", [names, kinds, rows[0]?.mark.length, model.output], heads),
      ...rows.map((row) => lineOf(row.key, [{...row, cells: []}, names, kinds, model.faults[row.key]],
        () => line(row))),
    ])
    const nodes = [...lines.values()].map(({node}) => node)
    for (const node of [...table.children]) { if (!nodes.includes(node)) { node.remove() } }
    for (const [i, node] of nodes.entries()) {
      if (table.children[i] !== node) { table.insertBefore(node, table.children[i] ?? null) }
    }
    for (const row of rows) {
      for (const node of lines.get(row.key).node.querySelectorAll("[data-cell]")) {
        const text = row.cells[node.dataset.cell]
        if (node.textContent !== text) { node.textContent = text }
      }
    }
    for (const row of model.field ? rows : []) {
      const input = lines.get(row.key).node.querySelector("input"), value = drafts[row.key] ?? row.value
      if (input.value !== value) { input.value = value }
    }
  }
  const draw = () => {
    const {rows, page, pages: count, total} = model.page
    const focused = scroll.getRootNode().activeElement?.dataset?.key
    scroll.setAttribute("aria-label", model.caption)
    scroll.hidden = !rows.length
    empty.textContent = rows.length ? "" : model.nothing
    drawTable()
    if (focused) { scroll.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus() }
    requestAnimationFrame(() => {
      scroll.classList.toggle("whole", scroll.scrollWidth <= scroll.clientWidth)
      resume()
    })
    pages.hidden = count < 2
    place.textContent = `${page + 1} of ${count}, ${total} rows`
    back.disabled = page === 0
    on.disabled = page === count - 1
    fault.textContent = model.fault
    label()
  }
  record.addEventListener("click", () => {
    request += 1
    act({tell: Object.fromEntries(ready()), request})
    label() // no second time before the answer
  })
  record.addEventListener("keydown", (event) => { if (event.repeat) { event.preventDefault() } })
  model.on("settled", () => {
    for (const key of model.settled.keys) { delete drafts[key] }
    keep(model.settled.keys)
    draw()
  })
  // See widgets/connection.js: what only the fields have is lost if the page is loaded again.
  const returning = ({detail}) => {
    detail.push(Promise.resolve(isKept || !Object.keys(drafts).length))
  }
  window.addEventListener("ucbpe-return", returning)
  const onKey = (event) => {
    const name = model.undoes && scroll.parentNode?.checkVisibility() ? keyOf(event) : null
    if (name) {
      event.preventDefault()
      ask({action: name})
    }
  }
  document.addEventListener("keydown", onKey)
  model.on("remove", () => {
    window.removeEventListener("ucbpe-return", returning)
    document.removeEventListener("keydown", onKey)
  })
  model.on("identity", () => { load(); draw() })
  model.on("busy", () => { label(); offer() })
  scroll.append(table)
  load()
  follow(model, ["page", "faults", "fault"], draw)
  follow(model, ["actions"], offer)
  return element("div", {}, scroll, empty,
    element("div", {className: "foot"}, fault, pages, actions, record))
}
