// The decision plane: ucbpe_app.figures.plane, event by event.

import {all} from "./legends.js"
import {shapesAndNumbers} from "./marks.js"
import {relevantRegion} from "./policies.js"
import {stepped} from "./scales.js"
import {grouped} from "./words.js"

const PAD = 0.06
const PARTS = 8
const SHADE = 0.12
const [STRONG, FADED] = [1, 0.6]
const [NEUTRAL, OUTSIDE, INSIDE] = [1, 2, 3]
const MANY = 2000
const [COLUMNS, ROWS] = [160, 150]

export function createPlane({scene}, lexicon) {
  const {sign} = scene
  const many = scene.size > MANY

  function load(out) {
    out.model("plane.image", {visible: many})
    out.model("plane.markers", {visible: !many})
    const {plane} = lexicon.legends
    const entries = plane.filter(([when]) => (when === "ucb" ? scene.roles.includes("ucb")
      : scene.usesRegion))
    out.html("plane.legend", all(lexicon, entries.map(([, swatch, label]) => [swatch, label])))
  }

  // Where each pick was when it was made; what is measured has a place of its own again.
  const positions = ({event, stdNow, mean, picks}) => picks.map(({index, std}) => (
    [event.kind === "observe" ? stdNow[index] : std, mean[index]]))

  function bracket([low, high], lowest, highest) {
    const span = stepped(high - low, (highest - lowest) / (1 - 1 / PARTS)) || 1
    const bottom = low + Math.floor((lowest - low) / span * PARTS) * span / PARTS
    return [bottom, bottom + span]
  }

  // The box that holds R+ and the picks, in rare steps from the run's whole.
  function windowOf(frame, places) {
    const {mean, std, beta, betaNext} = frame
    const maximised = {mean: sign > 0 ? mean : mean.map((one) => -one), tolerance: 0}
    const {regionPlus} = relevantRegion(maximised, std, [beta, betaNext])
    let [widest, lowest, highest] = [-Infinity, Infinity, -Infinity]
    const hold = (s, m) => {
      widest = Math.max(widest, s)
      lowest = Math.min(lowest, m)
      highest = Math.max(highest, m)
    }
    for (let i = 0; i < std.length; i++) { if (regionPlus[i]) { hold(std[i], mean[i]) } }
    for (const [s, m] of places) { hold(s, m) }
    const right = stepped(scene.largestStd, widest) || 1
    const [bottom, top] = bracket(scene.means, lowest, highest)
    const pad = PAD * (top - bottom)
    return [-PAD / 2 * right, (1 + PAD) * right, bottom - pad, top + pad]
  }

  function markers({stdNow, mean, regionPlus}, out) {
    const indices = Array.from(stdNow.keys())
    const kind = regionPlus === null ? stdNow.map(() => NEUTRAL)
      : Array.from(regionPlus, (inside) => (inside ? INSIDE : OUTSIDE))
    const order = regionPlus === null ? indices
      : [...indices.filter((i) => !regionPlus[i]), ...indices.filter((i) => regionPlus[i])]
    out.source("plane.dots", {
      x: Float64Array.from(order, (i) => stdNow[i]),
      y: Float64Array.from(order, (i) => mean[i]),
      kind: Uint8Array.from(order, (i) => kind[i]),
    })
  }

  function picture({stdNow, mean, regionPlus}, [left, right, bottom, top], out) {
    const values = new Uint8Array(COLUMNS * ROWS)
    const [across, up] = [COLUMNS / (right - left), ROWS / (top - bottom)]
    const draw = (kind, mask) => {
      for (let i = 0; i < stdNow.length; i++) {
        if (mask !== null && !mask[i]) { continue }
        const column = Math.floor((stdNow[i] - left) * across)
        const row = Math.floor((mean[i] - bottom) * up)
        if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS) {
          values[row * COLUMNS + column] = kind
        }
      }
    }
    draw(regionPlus === null ? NEUTRAL : OUTSIDE, null)
    if (regionPlus !== null) { draw(INSIDE, regionPlus) }
    out.image("plane.picture", "image", values, [ROWS, COLUMNS], [left, right, bottom, top])
  }

  function note({stdNow, mean}, [left, right, bottom, top]) {
    let out = 0
    for (let i = 0; i < stdNow.length; i++) {
      const [s, m] = [stdNow[i], mean[i]]
      if (!(left <= s && s <= right && bottom <= m && m <= top)) { out++ }
    }
    return out ? `${grouped(out)} dot${out === 1 ? "" : "s"} not shown.` : "&nbsp;"
  }

  function lines(frame, out) {
    const {event, picks, mean, yDot, sqrtBeta, betaNext, std, stdNow} = frame
    const alpha = stdNow === std ? STRONG : FADED
    const slope = sign * sqrtBeta
    const set = (name, line, extra = {}) => out.model(name, line === null ? {visible: false}
      : {visible: true, gradient: line[0], y_intercept: line[1], line_alpha: line[2], ...extra})
    const pick = event.kind === "observe" ? undefined : picks.findLast(({role}) => role === "ucb")
    set("plane.ucb", pick === undefined ? null
      : [-slope, mean[pick.index] + slope * pick.std, pick.current ? STRONG : alpha])
    set("plane.y_dot", yDot === null ? null : [slope, yDot, alpha])
    const shade = SHADE * alpha
    const side = {above_fill_alpha: sign > 0 ? shade : 0, below_fill_alpha: sign < 0 ? shade : 0}
    set("plane.plus", yDot === null ? null
      : [-2 * sign * Math.sqrt(betaNext), yDot, alpha], side)
    const current = picks.find((one) => one.current && one.role === "pe")
    out.model("plane.guide", current === undefined ? {visible: false}
      : {visible: true, location: current.std})
  }

  function update(frame, out, window) {
    const places = positions(frame)
    const box = window ?? windowOf(frame, places)
    const [left, right, bottom, top] = box
    out.model("plane.x_range", {start: left, end: right})
    out.model("plane.y_range", {start: bottom, end: top})
    if (many) { picture(frame, box, out) } else { markers(frame, out) }
    out.html("plane.note", note(frame, box))
    lines(frame, out)
    const numbered = frame.event.kind !== "observe"
    shapesAndNumbers(lexicon, frame.picks, places, box.slice(0, 2), numbered, "plane", out)
  }

  return {load, update}
}
