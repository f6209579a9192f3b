// The steps of the page: first what the data are, then what to do with them.

// A drawn curve is kept in this browser, so a reload can come back to it; a table is not.
const ADDRESS = {table: (fields) => fields.delete("step"), draw: (fields) => fields.set("step", "draw")}

function putStepInAddress(name) {
  const url = new URL(window.location.href)
  ADDRESS[name]?.(url.searchParams)
  if (url.href !== window.location.href) { history.replaceState(history.state, "", url) }
}

export function render({model}) {
  const nav = document.createElement("nav")
  nav.setAttribute("aria-label", "Steps")
  const draw = () => {
    const focused = nav.getRootNode().activeElement?.dataset.name
    nav.replaceChildren(...model.groups.map(({title, steps}) => {
      const group = document.createElement("div")
      group.className = "group"
      const heading = document.createElement("span")
      heading.className = "quiet title"
      heading.textContent = title
      group.append(heading, ...steps.map(({name, label}) => {
        const button = document.createElement("button")
        button.type = "button"
        button.dataset.name = name
        button.textContent = label
        if (name === model.active) { button.setAttribute("aria-current", "step") }
        button.addEventListener("click", () => { model.active = name })
        return button
      }))
      return group
    }))
    if (focused) { nav.querySelector(`[data-name="${focused}"]`)?.focus() }
  }
  model.on("groups", draw)
  model.on("active", () => {
    draw()
    putStepInAddress(model.active)
  })
  draw()
  return nav
}
