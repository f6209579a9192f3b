// A table as it was read: for each column its name, what it is for, what it has, and a few cells.

export function render({model}) {
  const root = document.createElement("div")
  root.className = "scroll"
  root.tabIndex = 0
  root.setAttribute("role", "region")

  const cell = (tag, text, name = "") => {
    const node = document.createElement(tag)
    node.className = name
    node.textContent = text
    return node
  }
  const choice = (column, i) => {
    const select = document.createElement("select")
    select.setAttribute("aria-label", `Use of column ${column.name}`)
    select.append(...Object.entries(model.uses).map(([role, label]) => new Option(label, role)))
    select.value = column.role
    select.addEventListener("change", () => {
      model.send_msg({roles: model.columns.map(({role}, j) => j === i ? select.value : role)})
    })
    const place = document.createElement("td")
    place.append(select)
    return place
  }
  const draw = () => {
    root.setAttribute("aria-label", model.caption)
    if (!model.columns.length) {
      root.replaceChildren()
      return
    }
    const focused = [...root.querySelectorAll("select")]
      .indexOf(root.getRootNode().activeElement)
    const table = document.createElement("table")
    const names = document.createElement("tr")
    names.append(cell("th", ""), ...model.columns.map(({name}) => {
      const head = cell("th", name)
      head.scope = "col"
      return head
    }))
    const uses = document.createElement("tr")
    uses.append(cell("th", "used as"), ...model.columns.map(choice))
    const kinds = document.createElement("tr")
    kinds.append(cell("th", "has"), ...model.columns.map(({kind}) => cell("td", kind, "quiet kind")))
    const rows = model.columns[0].cells.map((_, i) => {
      const row = document.createElement("tr")
      row.append(cell("th", `line ${model.columns[0].lines[i]}`, "quiet"),
        ...model.columns.map(({cells, numeric}) => cell("td", cells[i], numeric ? "number" : "")))
      return row
    })
    table.append(names, uses, kinds, ...rows)
    table.querySelectorAll("tr > th:first-child").forEach((head) => { head.scope = "row" })
    root.replaceChildren(table)
    if (focused >= 0) { root.querySelectorAll("select")[focused]?.focus() }
  }
  model.on("columns", draw)
  draw()
  return root
}
