
// The transport of a race, built of the parts of a run's above: other words, no items.

const RACE_WORDS = {
  first: "Start", previousBatch: "Back one batch of the largest K", previous: "Previous batch",
  next: "Next batch", nextBatch: "Forward one batch of the largest K", last: "End",
}

function buildRace() {
  const parts = build()
  for (const [name, button] of Object.entries(parts.buttons)) {
    button.setAttribute("aria-label", RACE_WORDS[name])
    button.title = `${RACE_WORDS[name]} (${ACTIONS[name].key})`
  }
  parts.slider.setAttribute("aria-label", "Place in the race")
  parts.items.remove()
  return parts
}

function drawRace(parts, model, index) {
  draw(parts, model, index)
  // Where every stop completes a batch of the largest K there is only one kind of step.
  const alike = model.starts.length === model.total
  parts.buttons.previousBatch.hidden = parts.buttons.nextBatch.hidden = alike
  const spoken = `${model.values[index]} of ${model.values.at(-1)} ${model.unit}`
  parts.batch.textContent = spoken
  parts.event.textContent = ""
  parts.slider.setAttribute("aria-valuetext", spoken)
}

function renderRace({model}) {
  const parts = buildRace()
  let scheduled = false
  const redraw = () => {
    if (scheduled) { return }
    scheduled = true
    queueMicrotask(() => { scheduled = false; drawRace(parts, model, mover.index()) })
  }
  const mover = createMover(model, redraw)
  const act = (name) => {
    mover.move(ACTIONS[name].to(
      {index: mover.index(), last: model.total - 1, starts: model.starts}))
  }
  const forgetKeys = listenForKeys({
    isMeant: () => isShown(parts.root), slider: parts.slider, act, page: true,
  })
  for (const [name, button] of Object.entries(parts.buttons)) {
    button.addEventListener("click", () => act(name))
  }
  parts.slider.addEventListener("input", () => mover.move(Number(parts.slider.value)))
  const place = () => {
    const at = model.values[model.index]
    if (at !== undefined) { tellPlace({at}) }
  }
  const ticks = () => drawTicks(parts.ticks, model.starts, model.total - 1)
  model.on(["index", "total", "starts", "values", "unit", "status", "busy"], redraw)
  model.on(["index", "values"], place)
  model.on(["starts", "total"], ticks)
  model.on("_answered", mover.answered)
  model.on("after_render", () => { ticks(); redraw(); place() })
  model.on("remove", forgetKeys)
  return parts.root
}

export default {render: renderRace}
