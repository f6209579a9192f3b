// The settings of a live lesson: labelled native controls in one column.

import {general, number, say} from "./words.js"

const STEPS = 100 // of a logarithmic slider, to a decade
const DECADES = 1.5

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.append(...children)
  return node
}

// `textOf` gives the text of a value that is not among the choices: it is then added to them.
function select(label, choices, get, set, textOf = String) {
  const option = (value, text) => element("option", {value}, text)
  const input = element("select", {"aria-label": label}, ...choices.map((one) => option(...one)))
  input.addEventListener("change", () => set(input.value))
  return {
    node: element("label", {}, element("span", {}, label), input),
    draw: (settings) => {
      const value = get(settings)
      if (input.value === value) { return }
      input.value = value
      if (input.value === value) { return }
      input.append(option(value, textOf(value)))
      input.value = value
    },
  }
}

// A slider with the value of(place); `at` is the place of a value.
function slider(label, {range: [low, high], of, at, text = number}, get, set) {
  const input = element("input", {type: "range", min: low, max: high, step: 1, "aria-label": label})
  const shown = element("span", {class: "value"})
  let drawn = null
  input.addEventListener("input", () => set(of(Number(input.value)), true))
  return {
    node: element("label", {class: "slider"}, element("span", {}, label), shown, input),
    draw: (settings) => {
      const value = get(settings)
      if (value === drawn) { return } // a page that is written to has its styles worked out anew
      drawn = value
      shown.textContent = text(value)
      input.setAttribute("aria-valuetext", text(value))
      if (of(Number(input.value)) !== value) { input.value = at(value) }
    },
  }
}

// What a slider's places mean: a whole number, hundredths of a share, or a factor to the value of the
// lesson, which is its middle; 0, if allowed, is at the left end.
function scaleOf({low, high, closed, whole}, middle) {
  if (whole) { return {range: [low, high], of: (value) => value, at: (value) => value, text: String} }
  if (high !== null) {
    return {range: [1, 99], of: (place) => place / 100, at: (value) => Math.round(100 * value)}
  }
  const reach = DECADES * STEPS
  const rounded = (value) => Number(general(value, 3))
  return {
    range: [-reach, reach],
    of: (place) => (place === 0 ? middle : closed[0] && place === -reach ? 0
      : rounded(middle * 10 ** (place / STEPS))),
    at: (value) => (value === 0 ? -reach : Math.round(STEPS * Math.log10(value / middle))),
  }
}

// A kernel is chosen together with its smoothness: "matern 1.5".
function kernelChoice({label, options}, kernels, texts, lesson, change) {
  const get = ({kernel, nu}) => (kernel === "matern" ? `matern ${nu}` : kernel)
  const set = (key) => {
    const [kernel, nu] = key.split(" ")
    change(nu ? {kernel, nu: Number(nu)} : {kernel})
  }
  const textOf = (key) => {
    const [kernel, nu] = key.split(" ")
    const {label} = kernels.find(({code}) => code === kernel)
    return say(texts, "kernel.nu", {label, nu: number(Number(nu))})
  }
  const control = select(label, options, get, set, textOf)
  control.draw(lesson) // its ν is one of the choices
  return control
}

// `change` is called with the settings that a control changes; `lesson` are those of the lesson.
// Controls that the lesson hides are not made.
export function createControls(lesson, {controls, hidden, kernels, texts}, change) {
  const make = (name, table) => {
    const get = (now) => now[name]
    const set = (value, drag) => change({[name]: value}, drag)
    if (name === "kernel") { return kernelChoice(table, kernels, texts, lesson, change) }
    if (table.options) { return select(table.label, table.options, get, set) }
    return slider(table.label, scaleOf(table, lesson[name] || lesson.variance / 100), get, set)
  }
  const made = Object.entries(controls)
    .filter(([name]) => name !== "nu" && !hidden.includes(name))
    .map(([name, table]) => ({name, ...make(name, table), used: Object.entries(table.used ?? {})}))
  const draw = (settings) => {
    for (const {node, used, draw: drawOne} of made) {
      const unused = used.some(([choice, values]) => !values.includes(settings[choice]))
      if (node.hidden !== unused) { node.hidden = unused }
      drawOne(settings)
    }
  }
  return {nodes: made.map(({node}) => node), named: made.map(({name, node}) => [name, node]), draw}
}
