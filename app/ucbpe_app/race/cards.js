// Cards of configurations. Nodes are reused by position, so that a focused button keeps the focus.

function button(className, ...children) {
  const node = document.createElement("button")
  node.type = "button"
  node.className = className
  node.append(...children)
  return node
}

const EDIT = `<span class="name"></span><span class="summary"></span>
  <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 5v.01M12 12v.01M12 19v.01"/></svg>`

export function render({model}) {
  const list = document.createElement("ul")
  list.setAttribute("aria-label", "Configurations")
  const add = button("add", "+ Add configuration")
  add.addEventListener("click", () => model.send_msg({place: null}))
  function card() {
    const item = document.createElement("li")
    const edit = button("edit", fragment(EDIT))
    const place = () => [...list.children].indexOf(item)
    edit.addEventListener("click", () => model.send_msg({place: place()}))
    item.append(edit)
    return item
  }
  const draw = () => {
    while (list.children.length > model.cards.length) { list.lastChild.remove() }
    while (list.children.length < model.cards.length) { list.append(card()) }
    model.cards.forEach(({letter, name, summary}, place) => {
      const edit = list.children[place].firstChild
      edit.children[0].replaceChildren(fragment(name))
      edit.children[1].textContent = summary
      edit.setAttribute("aria-expanded", place === model.chosen)
      edit.title = `Edit configuration ${letter}: ${summary}`
    })
    add.hidden = model.cards.length >= model.most
  }
  // Escape closes the form of a configuration; whatever closes it, the focus returns to the card.
  let last = 0
  const close = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || model.chosen < 0) { return }
    event.preventDefault()
    model.send_msg({place: model.chosen})
  }
  const back = () => {
    if (model.chosen >= 0) {
      last = model.chosen
      return
    }
    setTimeout(() => {
      if (isFocusLost()) { list.children[Math.min(last, list.children.length - 1)]?.firstChild.focus() }
    })
  }
  const root = document.createElement("div")
  root.append(list, add)
  window.addEventListener("keydown", close)
  model.on("remove", () => window.removeEventListener("keydown", close))
  model.on("chosen", back)
  model.on(["cards", "chosen"], draw)
  model.on("after_render", draw)
  return root
}
