// The points of a curve as a table: to draw without a mouse, or to the last digit.

export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = `
    <table><thead><tr><th scope="col">x</th><th scope="col">f</th><th></th></tr></thead>
      <tbody></tbody></table>
    <p class="fault" role="alert"></p>
    <button type="button" class="add">Add a point</button>`
  const [body, fault, add] = ["tbody", ".fault", ".add"].map((name) => root.querySelector(name))

  const texts = () => [...body.children].map((row) => {
    return [...row.querySelectorAll("input")].map(({value}) => value)
  })
  const send = (rows) => model.send_msg({rows})
  const field = (value, label) => {
    const input = document.createElement("input")
    input.value = value
    input.setAttribute("aria-label", label)
    input.addEventListener("change", () => send(texts()))
    return input
  }
  const line = ([x, y], i) => {
    const row = document.createElement("tr")
    const remove = document.createElement("button")
    remove.type = "button"
    remove.textContent = "✕"
    remove.setAttribute("aria-label", `Remove point ${i + 1}`)
    remove.addEventListener("click", () => send(texts().filter((_, j) => j !== i)))
    for (const node of [field(x, `x of point ${i + 1}`), field(y, `f of point ${i + 1}`), remove]) {
      const cell = document.createElement("td")
      cell.append(node)
      row.append(cell)
    }
    return row
  }
  const draw = () => {
    const focused = root.getRootNode().activeElement?.getAttribute("aria-label")
    body.replaceChildren(...model.rows.map(line))
    if (focused) { body.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus() }
    fault.textContent = model.fault
  }
  add.addEventListener("click", () => model.send_msg({add: true}))
  model.on("rows", draw)
  model.on("fault", () => { fault.textContent = model.fault })
  draw()
  return root
}
