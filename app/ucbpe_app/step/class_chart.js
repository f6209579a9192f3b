// The regret of the class and of the rule after each round, on a log axis: the class is drawn in ink, dotted,
// with pins, as all that a person marks.

const PIN = "M0 0C-4-9-11-13-11-21a11 11 0 1 1 22 0c0 8-7 12-11 21z"
const EDGES = {left: 100, right: 170, top: 64, bottom: 44} // px around the frame
const INSET = 40 // px from the frame to the first and the last round
const NAMES = 46 // px between the names of the two lines, at least
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"

function drawing(tag, attributes, content = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) { made.setAttribute(name, value) }
  made.textContent = content
  return made
}

// The decimal logarithms between which all values are that are more than 0, with two powers of ten at least.
export function reachOf(values) {
  const logs = values.filter((value) => value > 0).map(Math.log10)
  const [low, high] = logs.length ? [Math.min(...logs) - 0.25, Math.max(...logs) + 0.1] : [-1, 0]
  return Math.floor(high) > Math.ceil(low) ? [low, high] : [Math.floor(low), Math.ceil(high)]
}

const powerOfTen = (power) => (power < -4 ? `10⁻${[...String(-power)].map((digit) => RAISED[digit]).join("")}` : String(Number(`1e${power}`)))

// Both lines, that of the class first, from the start of the run on; null is where nothing was measured yet.
function createChart({lines, names, ends, title}, width, height) {
  const [low, high] = reachOf(lines.flat())
  const [right, foot, rounds] = [width - EDGES.right, height - EDGES.bottom, lines[0].length - 1]
  const x = (round) => EDGES.left + INSET + round * (right - EDGES.left - 2 * INSET) / rounds
  const y = (value) => foot - (value > 0 ? (Math.log10(value) - low) / (high - low) : 0) * (foot - EDGES.top)
  const root = drawing("svg", {width, height, "role": "img", "aria-label": title})
  const add = (tag, attributes, content) => root.append(drawing(tag, attributes, content))
  add("text", {x: EDGES.left, y: EDGES.top - 26, class: "quiet"}, title)
  for (let power = Math.ceil(low); power <= high; power += 1) {
    const level = y(10 ** power)
    add("path", {class: "grid", d: `M${EDGES.left} ${level}H${right}`})
    add("text", {"x": EDGES.left - 10, "y": level + 6, "text-anchor": "end", "class": "quiet"}, powerOfTen(power))
  }
  add("path", {class: "axis", d: `M${EDGES.left} ${EDGES.top - 10}V${foot}H${right}`})
  for (let i = 0; i <= rounds; i += 1) {
    add("text", {"x": x(i), "y": foot + 28, "text-anchor": "middle", "class": "quiet"}, i ? `round ${i}` : "start")
  }
  const levels = ends.map((_, line) => y(lines[line].at(-1)))
  const apart = Math.max(0, NAMES - Math.abs(levels[0] - levels[1])) / 2
  for (const [line, kind] of [[1, "rule"], [0, "own"]]) {
    const points = lines[line].flatMap((value, i) => (value === null ? [] : [[x(i), y(value)]]))
    add("path", {class: kind, d: `M${points.join("L")}`})
    for (const [left, top] of points) {
      if (left === x(0)) { add("circle", {class: "dot first", cx: left, cy: top, r: 8}) }
      else if (line) { add("circle", {class: "dot", cx: left, cy: top, r: 8}) }
      else {
        add("path", {class: "pin", d: PIN, transform: `translate(${left} ${top})`})
        add("circle", {class: "hole", cx: left, cy: top - 21, r: 4})
      }
    }
    const isAbove = levels[line] < levels[1 - line] || (levels[0] === levels[1] && line === 0)
    const level = Math.min(levels[line] + (isAbove ? -apart : apart), foot - 20)
    add("text", {x: right + 18, y: level, class: `line ${kind}`}, names[line])
    add("text", {x: right + 18, y: level + 26, class: kind}, ends[line])
  }
  return root
}
