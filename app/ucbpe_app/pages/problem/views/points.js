// The points of a curve as a table: to draw without a mouse, or to the last digit.

export function render({model}) {
  const body = element("tbody"), fault = faultLine()
  const head = (...children) => element("th", {scope: "col"}, ...children)
  const texts = () => [...body.children]
    .map((row) => [...row.querySelectorAll("input")].map(({value}) => value))
  const send = (rows) => model.send_msg({rows})
  const field = (value, label) =>
    element("input", {value, "aria-label": label, onchange: () => send(texts())})
  const line = ([x, y], i) => {
    const remove = button("✕", {
      "aria-label": `Remove point ${i + 1}`,
      onclick: () => send(texts().filter((_, j) => j !== i)),
    })
    const nodes = [field(x, `x of point ${i + 1}`), field(y, `f of point ${i + 1}`), remove]
    return element("tr", {}, ...nodes.map((node) => element("td", {}, node)))
  }
  follow(model, ["rows"], () => {
    const focused = body.getRootNode().activeElement?.getAttribute("aria-label")
    body.replaceChildren(...model.rows.map(line))
    if (focused) { body.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus() }
  })
  follow(model, ["rows", "fault"], () => { fault.textContent = model.fault })
  return element("div", {},
    element("table", {}, element("thead", {},
      element("tr", {}, head("x"), head("f"), element("th"))), body),
    fault,
    button("Add a point", {className: "add", onclick: () => model.send_msg({add: true})}))
}
