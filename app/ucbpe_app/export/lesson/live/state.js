// The state of a live lesson as text, for an address or to hand in: the event, and of the settings
// those that are not the lesson's: "3.pick.2&K=3&lengthscale=0.4&own=12,40".

export const NAMES = ["policy", "K", "kernel", "nu", "lengthscale", "variance", "degree", "offset",
  "noise_variance", "schedule", "delta", "beta", "scale"]
const EVENT = /^[1-9]\d{0,5}\.(fit|region|observe|pick\.\d{1,5})$/
const POSITIVE = new Set(["lengthscale", "variance", "offset", "beta", "scale"])

export function written({settings, own, event}, lesson) {
  const changed = NAMES.filter((name) => settings[name] !== lesson[name])
    .map((name) => `${name}=${encodeURIComponent(settings[name])}`)
  return [event, ...changed, ...own.length ? [`own=${own.join()}`] : []].join("&")
}

function valueOf(name, text, {choices, mostPicks}) {
  if (name in choices) { return choices[name].includes(text) ? text : undefined }
  const value = Number(text)
  const inside = text !== "" && Number.isFinite(value) && {
    K: Number.isInteger(value) && value >= 1 && value <= mostPicks,
    nu: value > 0 && value <= 1000,
    degree: Number.isInteger(value) && value >= 1 && value <= 8,
    delta: value > 0 && value < 1,
    noise_variance: value >= 0,
  }[name]
  return inside || (POSITIVE.has(name) && value > 0 && Number.isFinite(value)) ? value : undefined
}

function decoded(text) {
  try { return decodeURIComponent(text) } catch { return "" }
}

// The state of a text, and the names of what in it could not be used.
export function read(text, lesson, limits) {
  const settings = {...lesson}
  const refused = []
  let [event, own] = ["", []]
  for (const part of text.replace(/^.*#/, "").split("&").filter((one) => one)) {
    const [name, ...rest] = part.split("=")
    const value = decoded(rest.join("="))
    if (!rest.length) {
      if (EVENT.test(name)) { event = name } else { refused.push(name) }
    } else if (name === "own") {
      const indices = value.split(",").map(Number)
      own = indices.filter((i) => Number.isInteger(i) && i >= 0 && i < limits.size)
      own = own.slice(0, limits.mostOwn)
      if (own.length < indices.length) { refused.push(name) }
    } else if (name !== "run") {
      const known = NAMES.includes(name) ? valueOf(name, value, limits) : undefined
      if (known === undefined) { refused.push(name) } else { settings[name] = known }
    }
  }
  return {state: {settings, own, event}, refused}
}
