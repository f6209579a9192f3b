// A table as it was read: for each column its name, what it is for, what it has, and a few cells.

export function render({model}) {
  const root = element("div", {className: "scroll", tabIndex: 0, role: "region"})
  const choice = ({name, role}, i) => {
    const select = element("select", {"aria-label": `Use of column ${name}`},
      ...model.uses.map((use) => new Option(use)))
    select.value = role
    select.addEventListener("change", () => {
      model.send_msg({roles: model.columns.map((one, j) => j === i ? select.value : one.role)})
    })
    return element("td", {}, select)
  }
  const line = (head, className, cells) =>
    element("tr", {}, element("th", {className, scope: "row"}, head), ...cells)
  follow(model, ["columns", "uses", "counted"], () => {
    const {columns} = model
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
    if (focused >= 0) { root.querySelectorAll("select")[focused]?.focus() }
  })
  return root
}
