// An atlas of the settings of a run, as run/atlas.py: what complete runs come to, by lengthscale and by
// the multiplier c of beta. A worker of its own computes the runs, a column at a time.

import {element} from "./controls.js"
import {createEngine} from "./engine.js"
import {general, number, say} from "./words.js"

const SIDE = 13
const FACTOR = 5 // of lengthscales, each way
const SCALES = [1 / 300, 300 ** 0.2]
const LEAST = 1e-3 // what is less regret counts as this, for the colour
const STEPS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0]}

const spaced = (low, high) => Array.from({length: SIDE}, (_, i) => (
  Number(general(low * (high / low) ** (i / (SIDE - 1)), 3))))
const scales = spaced(...SCALES)

// `live()` has the tables and words of the problem, `randoms()` the random tables of each seed;
// `choose(settings)` takes the settings of a cell.
export function createAtlas({modules, texts, palette, live, randoms, choose}) {
  const told = (name, facts) => say(texts, `live.atlas.${name}`, facts)
  let [settings, lengthscales, engine, sums, counts] = [null, [], null, [], []]
  let [own, meant] = [[0, 0], [0, 0]] // the cells of the run on screen, and of a person
  const start = element("button", {type: "button"}, told("start"))
  const said = element("p", {class: "note", role: "status"})
  const grid = element("div", {class: "atlas", role: "application", tabindex: 0, "aria-label": told("keys")})
  const ends = element("p", {class: "note"})
  const node = element("div", {class: "group"}, element("p", {class: "note"}, told("how")), start, grid, ends, said)
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

  // The least regrets as shares of the way from the best to the worst, on a log scale.
  function draw() {
    const means = sums.map((row, i) => row.map((sum, j) => (counts[i][j] ? sum / counts[i][j] : NaN)))
    const known = means.flat().filter((one) => !Number.isNaN(one)).map((one) => Math.log(Math.max(one, LEAST)))
    const [low, high] = [Math.min(...known), Math.max(...known)]
    means.forEach((row, i) => row.forEach((regret, j) => {
      const cell = cells[i][j]
      const facts = {lengthscale: number(lengthscales[j]), scale: number(scales[i]), regret: number(regret)}
      cell.title = told(Number.isNaN(regret) ? "none" : "cell", facts)
      const share = (Math.log(Math.max(regret, LEAST)) - low) / (high - low || 1)
      cell.style.background = Number.isNaN(regret) ? "none" : palette[Math.round(share * (palette.length - 1))]
    }))
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
    grid.hidden = ends.hidden = true
    start.hidden = false
    said.textContent = ""
  }

  async function compute() {
    const mine = engine = createEngine(modules)
    lengthscales = spaced(settings.lengthscale / FACTOR, settings.lengthscale * FACTOR)
    sums = scales.map(() => lengthscales.map(() => 0))
    counts = scales.map(() => lengthscales.map(() => 0))
    start.hidden = true
    grid.hidden = ends.hidden = false
    const ranges = [["across", lengthscales], ["upwards", scales]]
    ends.textContent = ranges.map(([name, values]) => (
      told(name, {low: number(values[0]), high: number(values.at(-1))}))).join("; ")
    draw()
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
        answer.cells.forEach(([regret], i) => {
          sums[i][j] += regret
          counts[i][j] += 1
        })
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
