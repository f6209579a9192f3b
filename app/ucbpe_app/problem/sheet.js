// A table as it was read: for each column its name, what it is for, what it has, and a few cells.
// A choice that the server has not answered stays: the uses that come meanwhile are older.

export function render({model}) {
  const root = element("div", {className: "scroll", tabIndex: 0, role: "region"})
  let request = model.answered // the number of the last choice
  const chosen = new Map() // by column: {role, request}, until it is answered
  const choice = ({name}) => {
    const select = element("select", {"aria-label": `Use of column ${name}`},
      ...model.uses.map((use) => new Option(use)))
    select.addEventListener("change", () => {
      request += 1
      chosen.set(name, {role: select.value, request})
      model.send_msg({column: name, ...chosen.get(name)})
    })
    return element("td", {}, select)
  }
  const showUses = () => {
    for (const [name, last] of chosen) {
      if (last.request <= model.answered) { chosen.delete(name) }
    }
    for (const [i, select] of root.querySelectorAll("select").entries()) {
      const {name, role} = model.columns[i]
      select.value = chosen.get(name)?.role ?? role
    }
  }
  const line = (head, className, cells) =>
    element("tr", {}, element("th", {className, scope: "row"}, head), ...cells)
  let made = "" // of what the table is; it stays while only uses change, as does an open list
  follow(model, ["columns", "uses", "counted", "answered"], () => {
    const {columns} = model
    const of = JSON.stringify([columns.map((one) => ({...one, role: ""})), model.uses, model.counted])
    if (of === made) { showUses(); return }
    made = of
    root.setAttribute("aria-label", model.caption)
    const focused = [...root.querySelectorAll("select")].indexOf(root.getRootNode().activeElement)
    root.replaceChildren()
    if (!columns.length) { return }
    root.append(element("table", {},
      line("", "", columns.map(({name}) => element("th", {scope: "col"}, name))),
      line("used as", "", columns.map(choice)),
      line("has", "", columns.map(({kind}) => element("td", {className: "quiet kind"}, kind))),
      ...columns[0].lines.map((number, i) => line(`${model.counted} ${number}`, "quiet", columns.map(
        ({cells, numeric}) => element("td", {className: numeric ? "number" : ""}, cells[i]))))))
    showUses()
    if (focused >= 0) { root.querySelectorAll("select")[focused]?.focus() }
  })
  return root
}
