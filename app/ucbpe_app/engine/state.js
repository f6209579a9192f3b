// The state of a live lesson as text, for an address or to hand in: the event, and the settings
// that are not the lesson's: "3.pick.2&K=3&lengthscale=0.4&own=12,40&moved=0_1.5,2_out". Of a
// playground also what is shown, and the settings of the run behind: "show=truth,draws&against=K%3D3".

import {batchSize} from "./policies.js"
import {MAP} from "./scales.js"

const OUT = "out"
const OTHERS = new Set(["run", "start", "seed", "heights"]) // read by the page around
const LONGEST = 40 // characters of a value that could not be used
const shownOf = ({shown}, layers) => (
  [...shown.filter((name) => layers[name]), ...layers.featured ? [layers.featured] : []].join())
const EVENT = /^[1-9]\d{0,5}\.(posterior|region|observe|pick\.\d{1,5})$/

export function written({settings, own, moved, event, layers, against}, lesson, limits) {
  const changed = Object.keys(lesson)
    .filter((name) => name in limits.controls && settings[name] !== lesson[name])
    .map((name) => `${name}=${encodeURIComponent(settings[name])}`)
  const values = moved.map(([number, y]) => `${number}_${y ?? OUT}`)
  const [shown, usual] = limits.shown ? [layers, limits.layers].map((one) => shownOf(limits, one)) : ["", ""]
  const behind = against && written({settings: against, own: [], moved: [], event: "", layers: limits.layers}, lesson, limits)
  return [...event ? [event] : [], ...changed, ...own.length ? [`own=${own.join()}`] : [],
    ...values.length ? [`moved=${values}`] : [],
    ...shown === usual ? [] : [`show=${shown}`],
    ...against ? [`against=${encodeURIComponent(behind)}`] : []].join("&")
}

// NaN for what is no decimal number, as "", " " and "0x3".
const numberOf = (text) => (/^[-+.\de]+$/i.test(text) ? Number(text) : NaN)

// Of a control: undefined for what it cannot have.
function valueOf(text, {values, low, high, closed, whole}) {
  if (values) { return values.includes(text) ? text : undefined }
  const value = numberOf(text)
  const inside = Number.isFinite(value) && (!whole || Number.isInteger(value))
    && (closed[0] ? value >= low : value > low)
    && (high === null || (closed[1] ? value <= high : value < high))
  return inside ? value : undefined
}

// [number, value] each, or null.
function movedOf(text) {
  const moved = text.split(",").map((one) => one.split("_"))
    .map(([number, ...y]) => [numberOf(number), y.join("_") === OUT ? null : numberOf(y.join("_"))])
  const good = moved.every(([number, y], i) => (
    Number.isInteger(number) && number > (moved[i - 1]?.[0] ?? -1)
    && (y === null || Number.isFinite(y))))
  return good ? moved : null
}

function decoded(text) {
  try { return decodeURIComponent(text) } catch { return "" }
}

const quoted = (name, value) => `${name} = ${value.slice(0, LONGEST)}`

// The state of a text, and what in it could not be used.
export function read(text, lesson, limits) {
  const settings = {...lesson}
  const refused = []
  let [event, own, moved, layers, against] = ["", [], [], limits.layers, null]
  for (const part of text.replace(/^.*#/, "").split("&").filter((one) => one)) {
    const [name, ...rest] = part.split("=")
    const value = decoded(rest.join("="))
    if (!rest.length) {
      if (EVENT.test(name)) { event = name } else { refused.push(name) }
    } else if (name === "own") {
      const indices = value.split(",").map(numberOf)
      own = indices.filter((i) => Number.isInteger(i) && i >= 0 && i < limits.size)
      own = own.slice(0, limits.mostOwn)
      if (own.length < indices.length) { refused.push(name) }
    } else if (name === "moved") {
      moved = movedOf(value) ?? []
      if (!moved.length) { refused.push(name) }
    } else if (name === "show" && limits.shown) {
      const names = value.split(",")
      layers = {...layers, ...Object.fromEntries(limits.shown.map((one) => [one, names.includes(one)]))}
      if (names.includes(MAP)) { layers.featured = MAP }
    } else if (name === "against" && limits.shown) {
      const other = read(value, lesson, limits)
      against = other.state.settings
      if (other.refused.length) { refused.push(name) }
    } else if (name in limits.controls) {
      const known = valueOf(value, limits.controls[name])
      if (known === undefined) { refused.push(quoted(name, value)) } else { settings[name] = known }
    } else if (name === "start" && limits.starts && !limits.starts.includes(value)) {
      refused.push(quoted(name, value))
    } else if (!OTHERS.has(name)) {
      refused.push(name)
    }
  }
  if (moved.length && moved.at(-1)[0] >= limits.initial + own.length + settings.T * batchSize(settings)) {
    moved = []
    refused.push("moved")
  }
  return {state: {settings, own, moved, event, layers, against}, refused}
}
