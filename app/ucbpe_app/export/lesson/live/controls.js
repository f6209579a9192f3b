// The settings of a live lesson: labelled native controls in one column.

import {general, number} from "./words.js"

const STEPS = 100 // of a logarithmic slider, to a decade
const DECADES = 1.5
const SMOOTHNESS = [[0.5, "1/2"], [1.5, "3/2"], [2.5, "5/2"]]
const SCHEDULES = [["finite", "finite X"], ["compact", "compact cube"], ["constant", "constant"]]

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.append(...children)
  return node
}

const kernelKey = ({kernel, nu}) => (kernel === "matern" ? `matern ${nu}` : kernel)
const isUsed = {
  K: ({policy}) => policy !== "GP-UCB",
  delta: ({schedule}) => schedule !== "constant",
  beta: ({schedule}) => schedule === "constant",
}

// `textOf` gives the text of a value that is not among the choices: it is then added to them.
function select(label, choices, get, set, textOf = String) {
  const option = (value, text) => element("option", {value}, text)
  const input = element("select", {"aria-label": label}, ...choices.map((one) => option(...one)))
  const change = () => set(input.value)
  input.addEventListener("change", change)
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

// A slider from `low` to `high` whose value is of(position); `at` is the position of a value.
function slider(label, [low, high], {of, at, text = number}, get, set) {
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

// Logarithmic around a value of the lesson, which is its middle; 0 is at the left end if `zero`.
function logarithmic(middle, zero) {
  const reach = DECADES * STEPS
  const rounded = (value) => Number(general(value, 3))
  return {
    range: [-reach, reach],
    of: (position) => (position === 0 ? middle : zero && position === -reach ? 0
      : rounded(middle * 10 ** (position / STEPS))),
    at: (value) => (value === 0 ? -reach : Math.round(STEPS * Math.log10(value / middle))),
  }
}

const counted = {of: (value) => value, at: (value) => value, text: String}

// `change` is called with the settings that a control changes; `lesson` are those of the lesson.
// `kernels` has the settings that each uses, `fields` what is known of a setting. Controls that the
// lesson hides are not made.
export function createControls(lesson, {policies, mostPicks, hidden, kernels, fields}, change) {
  const log = (name, label, middle = lesson[name], zero = false) => {
    const scale = logarithmic(middle, zero)
    return slider(label, scale.range, scale, (now) => now[name], (value, drag) => change({[name]: value}, drag))
  }
  const plain = (name, label, range, scale = counted) => (
    slider(label, range, scale, (now) => now[name],
      (value, drag) => change({[name]: value}, drag)))
  const chosen = (name, label, choices) => (
    select(label, choices, (now) => now[name], (value) => change({[name]: value})))
  const listed = kernels.flatMap(({code, label, uses}) => (uses.includes("nu")
    ? SMOOTHNESS.map(([nu, text]) => [`${code} ${nu}`, `${label}, ν = ${text}`]) : [[code, label]]))
  const ofKernels = new Set(kernels.flatMap(({uses}) => uses))
  ofKernels.delete("nu") // a choice of the kernel
  const uses = Object.fromEntries(kernels.map((one) => [one.code, one.uses]))
  const kernel = select("Kernel", listed, kernelKey, (key) => {
    const [family, nu] = key.split(" ")
    change(nu ? {kernel: family, nu: Number(nu)} : {kernel: family})
  }, (key) => `Matérn, ν = ${number(Number(key.split(" ")[1]))}`)
  kernel.draw(lesson) // its ν is one of the choices
  const hundredth = {of: (value) => value / 100, at: (value) => Math.round(100 * value)}
  const all = {
    policy: chosen("policy", "Policy", policies.map((name) => [name, name])),
    K: plain("K", "Batch size K", [1, mostPicks]),
    schedule: chosen("schedule", "β schedule", SCHEDULES),
    delta: plain("delta", "δ", [1, 99], hundredth),
    beta: log("beta", "β"),
    scale: log("scale", "Multiplier c"),
    kernel,
    ...Object.fromEntries([...ofKernels].map((name) => {
      const {label, low, high, whole} = fields[name]
      return [name, whole ? plain(name, label, [low, high]) : log(name, label)]
    })),
    noise_variance: log("noise_variance", "Noise variance",
      lesson.noise_variance || lesson.variance / 100, true),
  }
  const controls = Object.fromEntries(
    Object.entries(all).filter(([name]) => !hidden.includes(name)))
  const draw = (settings) => {
    for (const [name, control] of Object.entries(controls)) {
      const hidden = !(ofKernels.has(name) ? uses[settings.kernel].includes(name)
        : isUsed[name]?.(settings) ?? true)
      if (control.node.hidden !== hidden) { control.node.hidden = hidden }
      control.draw(settings)
    }
  }
  return {nodes: Object.values(controls).map(({node}) => node), draw}
}
