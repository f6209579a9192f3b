// The cells of the atlas: a worker computes their runs, and a person points at them or moves among
// them by arrows.

const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}
const EVERY = 150 // ms between two messages with cells

export function render({model}) {
  const root = document.createElement("div")
  root.className = "cells"
  root.tabIndex = 0
  root.setAttribute("role", "application")
  root.setAttribute("aria-label", "Cells of the atlas: arrows move, Enter goes there")
  root.innerHTML = '<span role="status"></span>'
  const [told] = root.children
  let engine = null
  let pointed = ""

  const say = () => { if (root.matches(":focus")) { told.textContent = model.told } }

  // One run after the other, until there is another job; what has come is sent together.
  async function compute({number, settings, lengthscales, scales, random, missing}) {
    const own = createEngine(model.engine)
    engine = own
    const live = JSON.parse(model.problem)
    const {refused, error} = await own.ask({kind: "open", live})
    let cells = refused ? [[0, 0, error]] : []
    let sent = performance.now()
    const send = () => {
      if (engine === own) { model.send_msg({cells, job: number}) }
      cells = []
      sent = performance.now()
    }
    for (const [column, seed] of refused ? [] : missing) {
      const request = {...settings, lengthscale: lengthscales[column]}
      const answer = await own.ask({kind: "cells", settings: request, scales, random: random[seed]})
      if (engine !== own) { return }
      cells.push([column, seed, answer.error ?? answer.cells])
      if (performance.now() - sent > EVERY) { send() }
    }
    if (cells.length) { send() }
    own.end()
  }

  const begin = () => {
    engine?.end()
    engine = null
    if (model.job.missing?.length) { compute(model.job) }
  }

  const point = (event) => {
    if (!model.job.scales) { return }
    const {left, top, width, height} = root.getBoundingClientRect()
    const at = [(event.clientX - left) / width, 1 - (event.clientY - top) / height]
    const cell = at.map((one) => Math.floor(one * model.job.scales.length)).join()
    if (cell !== pointed) { model.send_msg({at}) }
    pointed = cell
  }
  const leave = () => {
    pointed = ""
    model.send_msg({do: "leave"})
  }
  root.addEventListener("pointermove", point)
  root.addEventListener("pointerleave", leave)
  root.addEventListener("blur", leave)
  root.addEventListener("focus", say)
  root.addEventListener("click", (event) => {
    point(event)
    model.send_msg({do: "go"})
  })
  root.addEventListener("keydown", (event) => {
    const move = STEPS[event.key]
    if (!move && event.key !== "Enter") { return }
    event.preventDefault()
    event.stopPropagation()
    model.send_msg(move ? {move} : {do: "go"})
  })
  model.on("job", begin)
  model.on("told", say)
  model.on("remove", () => {
    engine?.end()
    engine = null
  })
  begin()
  return root
}
