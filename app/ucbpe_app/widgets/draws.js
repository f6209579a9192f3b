// Tabs over a map: which of it and of the draws of f is large.

export function render({model}) {
  const tabs = document.createElement("div")
  tabs.setAttribute("role", "group")
  tabs.setAttribute("aria-label", "Large map")
  tabs.addEventListener("click", ({target}) => {
    const at = [...tabs.children].indexOf(target)
    if (at >= 0) { model.send_msg(at) }
  })
  function show() {
    tabs.hidden = !model.tabs.length
    tabs.replaceChildren(...model.tabs.map((name, i) => {
      const tab = document.createElement("button")
      Object.assign(tab, {type: "button", textContent: name})
      tab.setAttribute("aria-pressed", String(i === model.chosen))
      return tab
    }))
  }
  model.on(["tabs", "chosen"], show)
  show()
  return tabs
}
