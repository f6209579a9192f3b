// The cells of the atlas: a worker computes their runs, and a person points at them or moves among
// them by arrows.

const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}
const EVERY = 150 // ms between two messages with cells
const MOST = 3 // workers

// The page itself has a core.
const workers = () => Math.min(MOST, Math.max(1, (navigator.hardwareConcurrency || 2) - 1))

export function render({model}) {
  const root = document.createElement("div")
  root.className = "cells"
  root.tabIndex = 0
  root.setAttribute("role", "application")
  root.setAttribute("aria-label", "Cells of the atlas: arrows move, Enter goes there")
  root.innerHTML = '<span aria-live="polite"></span>'
  const [status] = root.children
  let engines = []
  let pointed = ""

  const say = () => { if (root.matches(":focus")) { status.textContent = model.message } }

  // The runs of a job, in order, until there is another; what has come is sent together.
  async function compute({number, settings, lengthscales, scales, random, missing}) {
    const live = JSON.parse(model.problem)
    const queue = [...missing]
    const own = []
    engines = own
    const {createEngine} = await loaderOf(model.engine)("engine.js")
    if (engines !== own) { return }
    for (let i = workers(); i > 0; i--) { own.push(createEngine(model.engine)) }
    let [cells, sent] = [[], performance.now()]
    const add = (cell) => {
      if (engines !== own) { return }
      cells.push(cell)
      if (queue.length && performance.now() - sent < EVERY) { return }
      model.send_msg({cells, job: number})
      cells = []
      sent = performance.now()
    }
    const work = async (engine) => {
      const {error} = await engine.ask({kind: "open", live})
      if (error) { add([0, 0, [], live.lexicon.texts[error] ?? error]) }
      while (queue.length && !error && engines === own) {
        const [column, seed, rows] = queue.shift()
        const request = {...settings, lengthscale: lengthscales[column]}
        const some = rows.map((row) => scales[row])
        const answer = await engine.ask({kind: "cells", settings: request, scales: some, random: random[seed]})
        add([column, seed, rows, answer.error ?? answer.cells])
      }
      engine.end()
    }
    for (const one of own) { work(one) }
  }

  const end = () => {
    for (const one of engines) { one.end() }
    engines = []
  }
  const begin = () => {
    end()
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
  model.on("message", say)
  model.on("remove", end)
  begin()
  return root
}
