// The points of a curve as a table: to draw without a mouse, or to the last digit.

export function render({model}) {
  const body = element("tbody"), fault = faultLine()
  const head = (...children) => element("th", {scope: "col"}, ...children)
  const texts = () => [...body.children]
    .map((row) => [...row.querySelectorAll("input")].map(({value}) => value))
  const send = (rows) => model.send_msg({rows})
  const field = (label) =>
    element("input", {"aria-label": label, onchange: () => send(texts())})
  const line = (i) => {
    const remove = button("✕", {
      "aria-label": `Remove point ${i + 1}`,
      onclick: () => send(texts().filter((_, j) => j !== i)),
    })
    const nodes = [field(`x of point ${i + 1}`), field(`f of point ${i + 1}`), remove]
    return element("tr", {}, ...nodes.map((node) => element("td", {}, node)))
  }
  // The rows stay, and what is in them changes: a button that is replaced between press and release,
  // as by the answer to a field that was left for it, gets no click.
  follow(model, ["rows"], () => {
    const {rows} = model
    while (body.children.length > rows.length) { body.lastChild.remove() }
    while (body.children.length < rows.length) { body.append(line(body.children.length)) }
    for (const [i, input] of [...body.querySelectorAll("input")].entries()) {
      const value = rows[Math.floor(i / 2)][i % 2]
      if (input.value !== value) { input.value = value }
    }
  })
  follow(model, ["rows", "fault"], () => { fault.textContent = model.fault })
  return element("div", {},
    element("table", {}, element("thead", {},
      element("tr", {}, head("x"), head("f"), element("th"))), body),
    fault,
    button("Add a point", {className: "add", onclick: () => model.send_msg({add: true})}))
}
