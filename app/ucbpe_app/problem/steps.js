// The steps of the page: first what the data are, then what to do with them.

// An experiment is kept in this browser, so that a reload comes back to it; a table is not.
function putStepInAddress(name) {
  const url = new URL(window.location.href)
  if (name === "experiment") { url.searchParams.set("step", name) } else { url.searchParams.delete("step") }
  if (url.href !== window.location.href) { history.replaceState(history.state, "", url) }
}

const NOT_KEPT = "Connected again. This browser keeps an experiment; please load the table again."

export function render({model}) {
  const nav = element("nav", {"aria-label": "Steps"})
  nav.append(...Object.entries(model.labels).map(([name, label]) => button(label, {
    "data-name": name,
    onclick: () => { model.active = name },
  })))
  // The buttons stay: one that is replaced between press and release gets no click.
  follow(model, ["active"], () => {
    for (const one of nav.querySelectorAll("button")) {
      if (one.dataset.name === model.active) {
        one.setAttribute("aria-current", "step")
      } else {
        one.removeAttribute("aria-current")
      }
    }
  })
  model.on("active", () => {
    putStepInAddress(model.active)
    // The button that led here is out of sight with its step.
    setTimeout(() => {
      if (isFocusLost()) { nav.querySelector("[aria-current]")?.focus() }
    })
  })
  // See widgets/connection.js.
  const returning = ({detail}) => {
    detail.push(Promise.resolve(model.active === "experiment" ? true : NOT_KEPT))
  }
  window.addEventListener("ucbpe-return", returning)
  model.on("remove", () => window.removeEventListener("ucbpe-return", returning))
  return nav
}
