// An atlas of the settings of a run, as run/atlas.py: results of complete runs, by lengthscale and by
// the scale c of beta. A worker of its own computes the runs, a column at a time; cell.js has the
// numbers of a cell.

import {element} from "./controls.js"
import {OUTSIDE, REGRET, SHARE, WHOLE} from "./cell.js"
import {createEngine} from "./engine.js"
import {general, number, percent, say} from "./words.js"

const STEPS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0]}

// `tables`: the scales c, the factor of lengthscales each way, the regret that counts as none, and the
// tabs: a name and a column each. `live()` has the tables and words of the problem, `randoms()` the random
// tables of each seed; `choose(settings)` takes the settings of a cell.
export function createAtlas({modules, tables, texts, palette, live, randoms, choose}) {
  const {scales, factor, least, tabs} = tables
  const SIDE = scales.length
  const message = (name, facts) => say(texts, `live.atlas.${name}`, facts)
  const spaced = (low, high) => scales.map((_, i) => (
    Number(general(low * (high / low) ** (i / (SIDE - 1)), 3))))
  let [settings, lengthscales, engine, runs, measure] = [null, [], null, [], REGRET]
  let [own, meant] = [[0, 0], [0, 0]] // the cells of the run on screen, and of a person
  const start = element("button", {type: "button"}, message("start"))
  const said = element("p", {class: "note", role: "status"})
  const grid = element("div", {class: "atlas", role: "application", tabindex: 0, "aria-label": message("keys")})
  const ends = element("p", {class: "note"})
  const buttons = tabs.map(([name, column]) => {
    const button = element("button", {type: "button"}, name)
    button.addEventListener("click", () => {
      measure = column
      draw()
    })
    return button
  })
  const row = element("div", {class: "tabs", role: "group", "aria-label": message("tabs")}, ...buttons)
  const node = element("div", {class: "group"}, element("p", {class: "note"}, message("how")), start, row, grid, ends, said)
  const cells = Array.from({length: SIDE}, () => Array.from({length: SIDE}, () => element("span")))
  grid.append(...[...cells].reverse().flat()) // the largest c on top

  const go = () => {
    const [row, column] = meant
    choose({lengthscale: lengthscales[column], scale: scales[row]})
  }
  function mean(row, column) {
    cells[meant[0]][meant[1]].className = ""
    meant = [row, column]
    const cell = cells[row][column]
    cell.className = "meant"
    said.textContent = cell.title
  }
  const placeOf = (cell) => {
    const row = cells.findIndex((one) => one.includes(cell))
    return row < 0 ? null : [row, cells[row].indexOf(cell)]
  }
  for (const name of ["pointerover", "click"]) {
    grid.addEventListener(name, ({target}) => {
      const place = placeOf(target)
      if (!place) { return }
      mean(...place)
      if (name === "click") { go() }
    })
  }
  grid.addEventListener("focus", () => mean(...own))
  grid.addEventListener("keydown", (event) => {
    const step = STEPS[event.key]
    if (!step && event.key !== "Enter") { return }
    event.preventDefault()
    event.stopPropagation()
    if (step) { mean(...meant.map((one, i) => Math.min(Math.max(one + step[i], 0), SIDE - 1))) } else { go() }
  })

  // Of a cell's runs, batches as shares of T; null without a run.
  function meansOf(own) {
    const mean = (column) => own.reduce((sum, one) => sum + one[column], 0) / own.length
    const {T} = settings
    return own.length ? {[REGRET]: mean(REGRET), [OUTSIDE]: mean(OUTSIDE) / T, [SHARE]: mean(SHARE), [WHOLE]: mean(WHOLE) / T} : null
  }

  // The results of the runs of a cell: `Atlas.said`.
  function wordsOf(means) {
    if (!means) { return say(texts, "atlas.none") }
    return say(texts, "atlas.said", {
      regret: means[REGRET] <= least ? "@atlas.least" : number(means[REGRET]), least: number(least),
      outside: percent(means[OUTSIDE]), share: percent(means[SHARE]), batches: settings.T,
      kept: means[WHOLE] === 1 ? "@atlas.whole" : "@atlas.kept",
    })
  }

  // Colours: regret from the least on a log scale of a decade or more, shares from 0 to 1.
  function draw() {
    const means = runs.map((row) => row.map(meansOf))
    const most = Math.max(...means.flat().map((one) => one?.[REGRET] ?? 0), 10 * least)
    const decades = Math.log(most / least)
    const shareOf = (one) => (measure === REGRET ? Math.log(Math.max(one[REGRET], least) / least) / decades : one[measure])
    means.forEach((row, i) => row.forEach((one, j) => {
      const cell = cells[i][j]
      const at = say(texts, "atlas.at", {lengthscale: number(lengthscales[j]), scale: number(scales[i])})
      cell.title = `${at}: ${wordsOf(one)}`
      cell.style.backgroundColor = one ? palette[Math.round(shareOf(one) * (palette.length - 1))] : "transparent"
      cell.toggleAttribute("data-whole", measure === SHARE && one?.[WHOLE] === 1)
    }))
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", tabs[i][1] === measure))
    const colours = measure === REGRET ? {low: say(texts, "atlas.least", {least: number(least)}), high: number(most)}
      : {low: percent(0), high: percent(1)}
    ends.textContent = [
      message("across", {low: number(lengthscales[0]), high: number(lengthscales.at(-1))}),
      message("upwards", {low: number(scales[0]), high: number(scales.at(-1))}), message("colours", colours),
    ].join("; ")
    const pointed = cells[meant[0]][meant[1]]
    if (pointed.className) { said.textContent = pointed.title }
    ring()
  }

  // The cell of the run on screen.
  function ring() {
    const nearest = (values, at) => values.reduce((best, one, i) => (
      Math.abs(Math.log(one / at)) < Math.abs(Math.log(values[best] / at)) ? i : best), 0)
    own = [nearest(scales, settings.scale), nearest(lengthscales, settings.lengthscale)]
    const here = cells[own[0]][own[1]]
    for (const cell of cells.flat()) { cell.toggleAttribute("data-here", cell === here) }
  }

  function clear() {
    engine?.end()
    engine = null
    lengthscales = []
    row.hidden = grid.hidden = ends.hidden = true
    start.hidden = false
    said.textContent = cells[meant[0]][meant[1]].className = ""
  }

  async function compute() {
    const mine = engine = createEngine(modules)
    lengthscales = spaced(settings.lengthscale / factor, settings.lengthscale * factor)
    runs = scales.map(() => lengthscales.map(() => []))
    start.hidden = true
    row.hidden = grid.hidden = ends.hidden = false
    draw()
    mean(...own)
    node.scrollIntoView({block: "nearest"})
    await mine.ask({kind: "open", live: live()})
    const middle = (SIDE - 1) / 2
    const columns = [...lengthscales.keys()].sort((i, j) => Math.abs(i - middle) - Math.abs(j - middle))
    for (const random of randoms()) {
      for (const j of columns) {
        const request = {...settings, lengthscale: lengthscales[j]}
        const answer = await mine.ask({kind: "cells", settings: request, scales, random})
        if (engine !== mine) { return }
        if (answer.error) {
          said.textContent = texts[answer.error] ?? answer.error
          return
        }
        answer.cells.forEach((one, i) => runs[i][j].push(one))
        draw()
      }
    }
    mine.end()
  }

  start.addEventListener("click", compute)
  clear()
  const rest = ({lengthscale, scale, ...others}) => JSON.stringify(others)
  return {
    node,
    clear,
    follow: (now) => {
      const changed = settings && rest(settings) !== rest(now)
      settings = now
      if (changed) { clear() } else if (lengthscales.length) { ring() }
    },
  }
}
