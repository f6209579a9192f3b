// The teacher's side of a class: how phones join, how many have answered, what they say, and the buttons
// and keys by which a round goes on. The server has all of it; here is how it is drawn.

const KEPT = "ucbpe-class" // of this tab: a reload keeps the class
const NARROW = "(max-width: 999px)"
const TEXTS = "textarea, select, input:not([type=range], [type=button]), [contenteditable]"
const LETTERS = {o: "open", a: "ask", c: "close", v: "again", b: "board", r: "rule"}
const ONWARDS = ["ArrowRight", "PageDown"]
const ADDRESS = () => window.location.origin + window.location.pathname

// The squares of a QR code, rows of 0 and 1, with the margin of white that it needs.
function codeOf(rows) {
  const size = rows.length + 4
  const path = rows.flatMap((row, y) => [...row].map((on, x) => (on === "1" ? `M${x + 2} ${y + 2}h1v1h-1z` : ""))).join("")
  const code = element("div", {class: "code"})
  code.innerHTML = `<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the address" shape-rendering="crispEdges"><path/></svg>`
  code.querySelector("path").setAttribute("d", path)
  return code
}

function joining({code, join: {address, others, squares}}) {
  const lines = others.map((one) => element("p", {class: "quiet"}, address ? `or ${one}` : one))
  return element("section", {"class": "join", "aria-label": "How to join"}, element("p", {class: "address"}, address),
    element("p", {class: "letters"}, code), ...address ? [codeOf(squares)] : [], ...lines)
}

function counted({big, small, share}) {
  const parts = [element("p", {class: "big"}, big), element("p", {class: "quiet"}, small)]
  if (share !== null) {
    const bar = element("div", {class: "bar"}, element("i"))
    bar.firstChild.style.width = `${100 * share}%`
    parts.push(bar)
  }
  return element("section", {}, ...parts)
}

function told({told: [lead, head, text], votes}) {
  const legend = element("p", {class: "legend"}, element("i", {class: "first"}), "first vote ", element("i"), "second")
  return element("section", {}, ...lead ? [element("p", {class: "quiet"}, lead)] : [], element("p", {class: "big"}, head),
    element("p", {}, text), ...votes > 1 ? [legend] : [])
}

// How many gave each answer: rows of choices, or columns of the places on a scale.
function barsOf({bars, kind}) {
  const most = Math.max(1, ...bars.flatMap(({votes}) => votes))
  const rows = bars.map(({name, votes, right}, i) => {
    const lengths = votes.map((count, vote) => {
      const bar = element("i", {class: vote < votes.length - 1 ? "first" : ""})
      bar.style.setProperty("--share", count / most)
      return bar
    })
    const label = kind === "choice" ? `${"ABCDEF"[i]}  ${name[0].toUpperCase()}${name.slice(1)}` : name
    return element("li", {"class": right ? "right" : "", "aria-label": `${name}: ${votes.join(", then ")}${right ? ", right" : ""}`},
      element("span", {}, right ? `✓ ${label}` : label), element("div", {}, ...lengths), element("b", {}, votes.at(-1)))
  })
  return element("ol", {class: `bars ${kind}`}, ...rows)
}

function boardOf(board) {
  const rows = board.map(({name, colour, points}) => {
    const dot = element("i")
    dot.style.background = colour
    return element("li", {}, dot, element("span", {}, `${colour} ${name}`), element("b", {}, points))
  })
  return element("section", {class: "box"}, element("h3", {}, "Most points"), element("ol", {class: "board"}, ...rows))
}

function placesOf({places, most}) {
  const rows = places.map((found) => element("li", {}, ...found.flatMap(([place, taps], i) => (
    [i ? ", " : "", place, element("span", {}, ` (${taps})`)])), ...found.length ? [] : ["nothing"]))
  return element("section", {class: "box"}, element("h3", {}, "What the class measured (taps)"),
    element("ol", {class: "places"}, ...rows),
    element("p", {class: "quiet"}, `Places with at least 2 taps, a lengthscale apart, at most ${most}.`))
}

function partsOf(shown, press) {
  const {join, count, told: [, head], bars, board, note, buttons, chart} = shown
  const last = element("footer", {class: buttons.length > 2 ? "many" : ""}, ...buttons.map(({do: what, label, about, filled}) => {
    const button = element("button", {"type": "button", "class": filled ? "filled" : "", "data-do": `${what} ${about}`}, label)
    button.addEventListener("click", () => press(what, about))
    return button
  }))
  return [
    ...join ? [joining(shown)] : [], ...count ? [counted(count)] : [], ...head ? [told(shown)] : [],
    ...bars.length ? [barsOf(shown)] : [], ...board.length ? [boardOf(board)] : [], ...chart ? [placesOf(chart)] : [],
    element("div", {class: "rest"}), ...note ? [element("p", {class: "box note"}, note)] : [], last,
  ]
}

export function render({model}) {
  const panel = element("div", {"class": "panel", "role": "region", "aria-label": "Class"})
  const name = element("p", {class: "name"})
  const sentence = element("p", {class: "sentence", role: "status"})
  const chart = element("div", {class: "chart"})
  const root = element("div", {class: "class"}, name, panel, sentence, chart)
  const narrow = window.matchMedia(NARROW)
  const isOpen = () => Boolean(model.shown.code)
  const send = (what, about = null) => model.send_msg({do: what, about})
  const step = () => document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))
  const press = (what, about) => {
    const isStep = what === "next" || (what === "reveal" && !model.shown.arrow)
    if (isStep) { step() } else { send(what, about) }
  }
  const drawChart = () => {
    const made = model.shown.chart
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
    if (focused) { [...panel.querySelectorAll("button")].find((one) => one.dataset.do === focused)?.focus() }
    if (sentence.textContent !== shown.sentence) { sentence.textContent = shown.sentence }
    sentence.hidden = !shown.sentence
    drawChart()
  }
  // What a key does for a class, or undefined.
  const meant = ({key}) => {
    if (ONWARDS.includes(key)) { return isOpen() ? model.shown.arrow || undefined : undefined }
    return isOpen() || key === "o" ? LETTERS[key] : undefined
  }
  // First of all listeners: the letters have other meanings without a class.
  const onKey = (event) => {
    const field = event.composedPath()[0]
    const isText = field instanceof Element && field.matches(TEXTS)
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey
    const what = model.presented && !narrow.matches && !isText && !isOther ? meant(event) : undefined
    if (!what) { return }
    event.preventDefault()
    event.stopImmediatePropagation()
    if (what === "open") { send(what, ADDRESS()) } else if (what !== "wait") { send(what) }
  }
  const keep = () => {
    if (Object.keys(model.kept).length) { store("sessionStorage", KEPT, model.kept) }
  }
  const size = new ResizeObserver(() => { if (!root.hidden) { drawChart() } })
  window.addEventListener("keydown", onKey, true)
  model.on("shown", draw)
  model.on("kept", keep)
  model.on("after_render", () => {
    draw()
    size.observe(panel)
    const {code, owner} = stored("sessionStorage", KEPT)
    if (code && !isOpen()) { send("take", {code, owner, base: ADDRESS()}) }
  })
  model.on("remove", () => {
    size.disconnect()
    window.removeEventListener("keydown", onKey, true)
  })
  return root
}
