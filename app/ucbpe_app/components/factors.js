// Factors to try on a setting: a group of buttons per setting, and what the last one changed.

function write(factor) {
  return factor < 1 ? `× 1/${Math.round(1 / factor)}` : `× ${factor}`
}

function buildGroup(setting, model) {
  const group = document.createElement("div")
  group.className = "group"
  group.setAttribute("role", "group")
  group.setAttribute("aria-label", `What if: ${setting.name}`)
  const label = document.createElement("span")
  const buttons = setting.factors.map((factor) => {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = write(factor)
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") {
        model.send_msg({name: setting.name, factor})
      }
    })
    return button
  })
  const bar = document.createElement("div")
  bar.className = "bar"
  bar.append(...buttons)
  group.append(label, bar)
  return {group, label, buttons}
}

export function render({model}) {
  const root = document.createElement("div")
  root.className = "factors"
  const said = document.createElement("p")
  said.setAttribute("aria-live", "polite")
  let groups = []
  let built = null // names of the settings that the groups are for
  const build = () => {
    const names = model.settings.map(({name}) => name).join()
    if (names === built) { return }
    built = names
    groups = model.settings.map((setting) => buildGroup(setting, model))
    root.replaceChildren(...groups.map(({group}) => group), said)
  }
  const draw = () => {
    build()
    model.settings.forEach((setting, i) => {
      groups[i].label.textContent = `${setting.label} ${setting.value}`
      setting.factors.forEach((factor, j) => {
        const button = groups[i].buttons[j]
        button.setAttribute("aria-pressed", factor === setting.chosen)
        button.setAttribute("aria-disabled", Boolean(setting.why))
        button.title = setting.why || `${setting.label}: ${write(factor)} of the value at the start`
      })
    })
    if (said.textContent !== model.said) { said.textContent = model.said }
  }
  model.on(["settings", "said"], draw)
  model.on("after_render", draw)
  return root
}
