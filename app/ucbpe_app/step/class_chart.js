// The regret of the class and of the rule after each round, on a log axis: the class is drawn in ink, dotted,
// with pins, as all that a person marks.

const SVG = "http://www.w3.org/2000/svg"
const PIN = "M0 0C-4-9-11-13-11-21a11 11 0 1 1 22 0c0 8-7 12-11 21z"
const EDGES = {left: 100, right: 170, top: 64, bottom: 44} // px around the frame
const RAISED = Object.fromEntries([..."-0123456789"].map((sign, i) => [sign, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]]))
const LABELS = 46 // px between the names of the two lines

// The decimal logarithms between which all values are that are more than 0, with two powers of ten at least.
export function reachOf(values) {
  const logs = values.filter((value) => value > 0).map(Math.log10)
  const [low, high] = logs.length ? [Math.min(...logs) - 0.25, Math.max(...logs) + 0.1] : [-1, 0]
  return Math.floor(high) > Math.ceil(low) ? [low, high] : [Math.floor(low), Math.ceil(high)]
}

function node(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) { made.setAttribute(name, value) }
  made.textContent = text
  return made
}

const powerOfTen = (power) => (power < -4 ? `10${[...String(power)].map((sign) => RAISED[sign]).join("")}` : String(Number(`1e${power}`)))

// Both lines, from the start of the run on; where nothing was measured yet there is no point.
export function createChart({start, own, rule, name, title, texts}, width, height) {
  const lines = [own, rule].map((line) => [start, ...line])
  const [low, high] = reachOf(lines.flat())
  const [right, foot] = [width - EDGES.right, height - EDGES.bottom]
  const x = (round) => EDGES.left + 40 + round * (right - EDGES.left - 80) / Math.max(own.length, 1)
  const y = (value) => {
    const share = value > 0 ? (Math.log10(value) - low) / (high - low) : 0 // 0 is at the foot
    return foot - share * (foot - EDGES.top)
  }
  const root = node("svg", {width, height, "role": "img", "aria-label": "Regret of the class and of the rule by round"})
  const add = (tag, attributes, text) => root.append(node(tag, attributes, text))
  add("text", {x: EDGES.left, y: EDGES.top - 26, class: "quiet"}, title)
  for (let power = Math.ceil(low); power <= high; power += 1) {
    const level = y(10 ** power)
    add("path", {class: "grid", d: `M${EDGES.left} ${level}H${right}`})
    add("text", {"x": EDGES.left - 10, "y": level + 6, "text-anchor": "end", "class": "quiet"}, powerOfTen(power))
  }
  add("path", {class: "axis", d: `M${EDGES.left} ${EDGES.top - 10}V${foot}H${right}`})
  lines[0].forEach((_, i) => add("text", {"x": x(i), "y": foot + 28, "text-anchor": "middle", "class": "quiet"}, i ? `round ${i}` : "start"))
  const points = lines.map((line) => line.flatMap((value, i) => (value === null ? [] : [[x(i), y(value), i]])))
  for (const [i, kind] of ["own", "rule"].entries()) {
    add("path", {class: kind, d: `M${points[i].map(([left, top]) => `${left} ${top}`).join("L")}`})
  }
  for (const [left, top, i] of points[1]) { add("circle", {class: i ? "rule dot" : "dot first", cx: left, cy: top, r: 8}) }
  for (const [left, top, i] of points[0]) {
    if (i) {
      add("path", {class: "pin", d: PIN, transform: `translate(${left} ${top})`})
      add("circle", {class: "hole", cx: left, cy: top - 21, r: 4})
    }
  }
  const ends = [own.at(-1), rule.at(-1)]
  const levels = ends.map((value) => y(value ?? 10 ** high))
  const apart = Math.max(0, LABELS - Math.abs(levels[0] - levels[1])) / 2
  for (const [i, line] of ["the class", name].entries()) {
    const above = levels[i] < levels[1 - i] || (levels[0] === levels[1] && i === 0)
    const level = Math.min(levels[i] + (above ? -apart : apart), foot - 20)
    add("text", {x: right + 18, y: level, class: `name ${i ? "rule" : "own"}`}, line)
    add("text", {x: right + 18, y: level + 26, class: i ? "rule" : "own"}, texts[i])
  }
  return root
}
