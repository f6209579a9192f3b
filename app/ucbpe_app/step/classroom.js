// The teacher's side of a class: how phones join, how many have answered, what they say, and the buttons
// and keys by which a round goes on. The server has all of it; here is how it is drawn.

const KEPT = "ucbpe-class" // of this tab: a reload keeps the class
const TEXTS = "textarea, select, input:not([type=range], [type=button]), [contenteditable]"
const LETTERS = {o: "begin", a: "ask", c: "close", v: "again", b: "board", r: "rule"}
const ONWARDS = ["ArrowRight", "PageDown"]
const FILLED = ["close", "reveal", "next", "end"] // where nothing can be asked

const text = (kind, ...content) => element("p", {class: kind}, ...content)
const box = (title, ...content) => element("section", {class: "box"}, element("h3", {}, title), ...content)

// The squares of a QR code, rows of 0 and 1, with the margin of white that it needs.
function codeOf(rows) {
  const squares = rows.flatMap((row, y) => [...row].flatMap((on, x) => (on === "1" ? `M${x + 2} ${y + 2}h1v1h-1z` : [])))
  const size = rows.length + 4
  const code = drawing("svg", {class: "code", viewBox: `0 0 ${size} ${size}`, "shape-rendering": "crispEdges"})
  code.append(drawing("path", {d: squares.join("")}))
  return code
}

function joining({code, addresses: [address, ...others], squares}) {
  const local = text("quiet", "Phones cannot reach this server.")
  return element("section", {"class": "join", "aria-label": "How to join"}, text("address", address ?? ""), text("letters", code),
    address ? codeOf(squares) : local, ...others.map((one) => text("quiet", `or ${one}`)))
}

function counted({stage, joined, answered}) {
  if (stage !== "open") { return text("big", `${joined} joined`) }
  const bar = element("progress", {"max": joined, "value": answered, "aria-label": "Answers"})
  return element("section", {}, text("big", `${answered} of ${joined}`), text("quiet", "have answered"), bar)
}

function told([lead, head, rest], votes) {
  const legend = text("legend", element("i", {class: "first"}), "first vote ", element("i"), "second")
  return element("section", {}, text("quiet", lead), text("big", head), text("", rest), ...votes > 1 ? [legend] : [])
}

// How many gave each answer: rows of choices, or columns of the places on a scale.
function barsOf(bars, kind) {
  const most = Math.max(1, ...bars.flatMap(({votes}) => votes))
  return element("ol", {class: `bars ${kind}`}, ...bars.map(({name, votes, right}, i) => {
    const label = kind === "choice" ? `${"ABCDEF"[i]}  ${name[0].toUpperCase()}${name.slice(1)}` : name
    const lengths = votes.map((count, vote) => element("i", {
      class: vote < votes.length - 1 ? "first" : "", style: `--share: ${count / most}`}))
    return element("li", {class: right ? "right" : ""}, element("span", {}, right ? `✓ ${label}` : label),
      element("div", {}, ...lengths), element("b", {}, votes.at(-1)))
  }))
}

const boardOf = (board) => box("Most points", element("ol", {class: "board"}, ...board.map(([animal, colour, points]) => (
  element("li", {}, element("i", {style: `background: ${colour}`}), element("span", {}, `${colour} ${animal}`), element("b", {}, points))))))

const placesOf = ({places, size}) => box("What the class measured (taps)",
  element("ol", {class: "places"}, ...places.map((found) => element("li", {}, ...found.length ? [] : ["nothing"],
    ...found.flatMap(([place, taps], i) => [i ? ", " : "", place, element("span", {}, ` (${taps})`)])))),
  text("quiet", `Places with at least 2 taps, a lengthscale apart, at most ${size}.`))

function buttonsOf({stage, offers, buttons}, press) {
  const asks = stage === "waiting" ? offers.map((label, i) => ["ask", label, i]) : []
  const all = [...asks, ...buttons]
  return element("footer", {class: all.length > 2 ? "many" : ""}, ...all.map(([what, label, about = null], i) => {
    const isFilled = asks.length ? i === 0 : FILLED.includes(what)
    const button = element("button", {"type": "button", "class": isFilled ? "filled" : "", "data-do": `${what} ${about}`}, label)
    button.addEventListener("click", () => press(what, about))
    return button
  }))
}

function partsOf(shown, press) {
  const {stage, told: words, votes, bars = [], kind, board, note, chart} = shown
  const isJoining = ["waiting", "open"].includes(stage)
  return [
    ...isJoining && !board.length ? [joining(shown)] : [], ...isJoining ? [counted(shown)] : [], ...words ? [told(words, votes)] : [],
    ...bars.length ? [barsOf(bars, kind)] : [], ...board.length ? [boardOf(board)] : [], ...chart ? [placesOf(chart)] : [],
    element("div", {class: "rest"}), ...note ? [text("box note", note)] : [], buttonsOf(shown, press),
  ]
}

export function render({model}) {
  const panel = element("div", {"class": "panel", "role": "region", "aria-label": "Class"})
  const [name, sentence] = [text("name"), element("p", {class: "sentence", role: "status"})]
  const chart = element("div", {class: "chart"})
  const root = element("div", {class: "class"}, name, panel, sentence, chart)
  const narrow = window.matchMedia("(max-width: 999px)")
  const isOpen = () => Boolean(model.shown.code)
  const base = () => window.location.origin + window.location.pathname
  const send = (what, about = null) => model.send_msg({do: what, about: what === "begin" ? {base: base()} : about})
  const press = (what, about) => { // a place is revealed by the step to it
    if (what !== "next" && (what !== "reveal" || model.shown.arrow)) { return send(what, about) }
    document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))
  }
  const drawChart = () => {
    const {chart: made} = model.shown
    chart.hidden = !made
    chart.replaceChildren(...made ? [createChart(made, chart.clientWidth, chart.clientHeight)] : [])
  }
  const draw = () => {
    const {shown} = model
    root.hidden = !isOpen()
    if (root.hidden) { return }
    const focused = root.getRootNode().activeElement?.dataset.do
    name.replaceChildren("Class ", element("b", {}, shown.code), ` · ${shown.joined} joined`)
    panel.replaceChildren(...partsOf(shown, press))
    panel.querySelector(`[data-do="${focused}"]`)?.focus()
    if (sentence.textContent !== shown.sentence) { sentence.textContent = shown.sentence }
    sentence.hidden = !shown.sentence
    drawChart()
  }
  // Before all other listeners: without a class the letters have other meanings.
  const onKey = (event) => {
    const [field] = event.composedPath()
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || field.matches?.(TEXTS)
    const {arrow} = model.shown
    const what = ONWARDS.includes(event.key) ? arrow : isOpen() || event.key === "o" ? LETTERS[event.key] : ""
    if (!what || isOther || !model.presented || narrow.matches) { return }
    event.preventDefault()
    event.stopImmediatePropagation()
    if (what !== "wait") { send(what) }
  }
  const size = new ResizeObserver(() => { if (isOpen()) { drawChart() } })
  window.addEventListener("keydown", onKey, true)
  model.on("shown", draw)
  model.on("kept", () => store("sessionStorage", KEPT, model.kept))
  model.on("after_render", () => {
    draw()
    size.observe(panel)
    const {code, owner} = stored("sessionStorage", KEPT)
    if (code && !isOpen()) { model.send_msg({do: "begin", about: {base: base(), code, owner}}) }
  })
  model.on("remove", () => {
    size.disconnect()
    window.removeEventListener("keydown", onKey, true)
  })
  return root
}
