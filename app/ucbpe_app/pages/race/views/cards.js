// Cards of configurations. Nodes are reused by position, so that a focused button keeps the focus.

const ICONS = {
  duplicate: "M9 9h10v10H9zM5 15V5h10",
  remove: "M6 6l12 12M18 6L6 18",
}
const VERBS = {duplicate: "Duplicate", remove: "Remove"}

function button(className, html = "") {
  const node = document.createElement("button")
  node.type = "button"
  node.className = className
  node.innerHTML = html
  return node
}

function card() {
  const item = document.createElement("li")
  item.append(button("edit", `<span class="swatch"></span><b></b><span class="text">
    <span class="label"></span><span class="summary"></span></span>`))
  for (const action of ["duplicate", "remove"]) {
    item.append(button(action,
      `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[action]}"/></svg>`))
  }
  return item
}

function drawCard(item, place, {cards, chosen, fewest, most}) {
  const {letter, label, summary, swatch} = cards[place]
  const part = (selector) => item.querySelector(selector)
  part(".swatch").innerHTML = swatch
  part("b").textContent = letter
  part(".label").textContent = label
  part(".summary").textContent = summary
  part(".edit").setAttribute("aria-pressed", place === chosen)
  part(".edit").title = `Edit configuration ${letter}`
  for (const [action, verb] of Object.entries(VERBS)) {
    part(`.${action}`).setAttribute("aria-label", `${verb} configuration ${letter}`)
    part(`.${action}`).title = `${verb} configuration ${letter}`
  }
  part(".duplicate").disabled = cards.length >= most
  part(".remove").disabled = cards.length <= fewest
}

export function render({model}) {
  const root = document.createElement("div")
  const list = document.createElement("ul")
  list.setAttribute("aria-label", "Configurations")
  const add = button("add", `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 5v14M5 12h14"/>
    </svg>Add a configuration`)
  root.append(list, add)
  const draw = () => {
    while (list.children.length > model.cards.length) { list.lastChild.remove() }
    while (list.children.length < model.cards.length) { list.append(card()) }
    model.cards.forEach((_, place) => drawCard(list.children[place], place, model))
    add.disabled = model.cards.length >= model.most
  }
  root.addEventListener("click", ({target}) => {
    const pressed = target.closest("button")
    if (!pressed) { return }
    const action = ["edit", "duplicate", "remove", "add"].find((name) => pressed.matches(`.${name}`))
    const place = Math.max([...list.children].indexOf(pressed.closest("li")), 0)
    model.send_msg({action, place})
  })
  model.on(["cards", "chosen"], draw)
  model.on("after_render", draw)
  return root
}
