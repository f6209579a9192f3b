// The transport of the laboratory: six buttons, a slider, the items of a batch, and the keys.
// The browser moves at once; requests to the server are numbered and only one is under way, so
// that the newest position wins however slowly the server draws.

const ACTIONS = {
  first: {label: "First event", key: "Home", to: () => 0},
  previousBatch: {
    label: "Previous batch", key: "Shift+←",
    to: ({index, stops}) => stops.findLast((start) => start < index) ?? 0,
  },
  previous: {label: "Previous event", key: "←", to: ({index}) => index - 1},
  next: {label: "Next event", key: "→", to: ({index}) => index + 1},
  nextBatch: {
    label: "Next batch", key: "Shift+→",
    to: ({index, stops, last}) => stops.find((start) => start > index) ?? last,
  },
  last: {label: "Last event", key: "End", to: ({last}) => last},
}

const ICONS = {
  first: "M6 6v12M17 6l-6 6 6 6",
  previousBatch: "M11 6l-6 6 6 6M18 6l-6 6 6 6",
  previous: "M15 6l-6 6 6 6",
  next: "M9 6l6 6-6 6",
  nextBatch: "M6 6l6 6-6 6M13 6l6 6-6 6",
  last: "M18 6v12M7 6l6 6-6 6",
}

const LEAD_ON = ["next", "nextBatch", "last"]
const PLAY = "M8 5v14l11-7z"
const PAUSE = "M8 5v14M16 5v14"
const PLAYS = [PLAY, PAUSE]
const PACE = 1500 // ms from one event to the next, at speed 1
const SPEEDS = [0.5, 1, 2, 4]

const [BATCH_GAP, PHASE_GAP] = [2, 8] // px
const MANY = 9 // items of a batch: more are smaller, and picks but their numbers
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
const WAITING_AFTER = 1000 // ms without an answer: then what is shown is marked as not yet this event
const WAITING = "waiting for the server"
const STALE = "opacity(0.35)" // of what the server draws, as long as it is of another event
const RETRY_AFTER = 4000 // ms; an answer lost with the connection must not block later moves

// Where the batch buttons lead.
const stopsOf = (model) => model.stops ?? model.starts

function transportButton(name, stop) {
  const {key} = ACTIONS[name]
  const label = ACTIONS[name].label.replace("batch", stop)
  const button = element("button", {"type": "button", "class": `move ${name}`, "aria-label": label,
    "title": `${label} (${key})`})
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
  if (name === "next") { button.prepend("Next") }
  if (LEAD_ON.includes(name)) { button.setAttribute("aria-describedby", "need") }
  return button
}

function playButtons() {
  const play = element("button", {"type": "button", "class": "move play", "aria-label": "Play",
    "aria-pressed": "false", "title": "Play (Space)"})
  const speed = element("button", {"type": "button", "class": "speed", "title": "Speed of play"})
  return {play, speed}
}

function build(stop) {
  const parts = {
    ...playButtons(),
    skip: element("button", {type: "button", class: "skip"}),
    need: element("span", {id: "need", hidden: ""}),
    busy: element("div", {class: "busy", role: "progressbar", "aria-label": "Computing",
      "aria-valuemin": 0, "aria-valuemax": 100}),
    buttons: Object.fromEntries(Object.keys(ACTIONS).map((name) => [name, transportButton(name, stop)])),
    slider: element("input", {type: "range", min: 0, step: 1, "aria-label": "Event"}),
    batch: element("span", {class: "batch"}),
    event: element("span", {class: "event"}),
    items: element("div", {class: "items", role: "group", "aria-label": "Events of this batch"}),
    status: element("div", {class: "status", role: "status", "aria-live": "polite"}),
  }
  parts.centre = createCentring(parts.items)
  parts.root = element("div", {class: "transport"}, parts.busy,
    element("div", {class: "buttons", role: "group", "aria-label": "Timeline"},
      ...Object.values(parts.buttons), parts.skip, parts.need, parts.play, parts.speed),
    element("div", {class: "slider"}, parts.slider),
    element("div", {class: "place"}, parts.batch, parts.event), parts.items, parts.status)
  return parts
}

// Keeps the current item in sight. Reading a position forces the browser to lay out the whole page
// at once; an observer runs after the regular layout and paint.
function createCentring(strip) {
  let observed = null
  const observer = new IntersectionObserver((entries) => {
    const {intersectionRatio, boundingClientRect: item, rootBounds: shown} = entries.at(-1)
    if (intersectionRatio < 1 && shown) {
      strip.scrollBy(item.left + item.width / 2 - shown.left - shown.width / 2, 0)
    }
  }, {root: strip, threshold: 1})
  return () => {
    const current = strip.querySelector("[aria-current]")
    if (current === observed) { return }
    observer.disconnect()
    observed = current
    if (current) { observer.observe(current) }
  }
}

// Equal values are not set again: the browser would repeat the layout in each frame of a drag.
function setText(node, text) {
  if (node.textContent !== text) { node.textContent = text }
}

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== String(value)) { node.setAttribute(name, value) }
  }
}

// The number of a pick, x¹² as 12.
const numberOf = (label) => [...label].slice(1).map((digit) => RAISED.indexOf(digit)).join("")

// Items are reused by position, so that a focused one keeps the focus from batch to batch.
function drawItems(strip, items, index, prediction) {
  while (strip.children.length > items.length) { strip.lastChild.remove() }
  while (strip.children.length < items.length) {
    strip.append(element("button", {type: "button"}, element("span")))
  }
  const many = items.length > MANY
  items.forEach((item, position) => {
    const button = strip.children[position]
    const short = many && item.look === "pe" && item.index !== index
    const isAsked = prediction.isAsked(item.index)
    const label = isAsked ? prediction.word("chip", {pick: item.label}) : item.label
    setText(button.firstChild, short ? numberOf(item.label) : label)
    // What is spoken begins with what is seen.
    const name = short ? `${numberOf(item.label)}: ${item.label}` : label
    button.classList.toggle("asked", isAsked)
    setAttributes(button, {"aria-label": name, "data-index": item.index, "data-look": item.look})
    button.classList.toggle("past", item.index < index)
    if (item.index === index) {
      setAttributes(button, {"aria-current": "step"})
    } else {
      button.removeAttribute("aria-current")
    }
  })
  strip.classList.toggle("many", many)
  const current = strip.querySelector("[aria-current]")
  strip.classList.toggle("stale", items.length > 0 && current == null)
}

// A gap in the track where each batch but the first starts, a wider one where a phase does.
function drawTicks(slider, starts, phases, last) {
  const gaps = starts.filter((start) => start > 0).map((start) => {
    const share = start / Math.max(last, 1)
    const width = phases.includes(start) ? PHASE_GAP : BATCH_GAP
    const left = `calc((var(--thumb) - ${width}px) / 2 * ${1 - 2 * share} + ${100 * share}%)`
    return `linear-gradient(var(--surface) 0 0) ${left} 0 / ${width}px 100% no-repeat`
  })
  slider.parentElement.style.setProperty("--gaps", gaps.join() || "none")
}

function draw(parts, model, {index, isLate}, prediction) {
  const last = model.total - 1
  const place = {index, last, stops: stopsOf(model)}
  for (const [name, button] of Object.entries(parts.buttons)) {
    const target = ACTIONS[name].to(place)
    const waits = target > index && !prediction.isReady
    const leadsOn = name === "next" && index === model.onwards
    const ends = target === index || target < 0 || (target > last && !leadsOn)
    setAttributes(button, {"aria-disabled": ends || waits})
  }
  const asking = prediction.asking !== null
  setText(parts.skip, prediction.word("skip"))
  setText(parts.need, prediction.isReady ? "" : prediction.need)
  parts.skip.classList.toggle("off", !asking)
  parts.skip.hidden = !model.asked.marks
  const batch = model.starts.filter((start) => start <= index).length
  setText(parts.batch, batch ? `${model.word} ${batch} of ${model.starts.length}`
    : `Before ${model.word.toLowerCase()} 1`)
  const phase = model.phases.filter((start) => start <= index).length
  const inPhase = model.phases.length > 1 ? `phase ${phase} of ${model.phases.length}, ` : ""
  const late = isLate ? `, ${WAITING}` : ""
  setText(parts.event, asking ? prediction.word("turn.short")
    : `${inPhase}event ${index + 1} of ${model.total}${late}`)
  const spoken = `${parts.event.textContent}, ${parts.batch.textContent}`
  setAttributes(parts.slider, {"max": last, "aria-valuetext": spoken})
  if (parts.slider.valueAsNumber !== index) { parts.slider.value = index }
  parts.slider.parentElement.style.setProperty("--at", index / Math.max(last, 1))
  drawItems(parts.items, model.items, index, prediction)
  parts.centre()
  setText(parts.status, isLate ? WAITING : [model.status, prediction.said].filter((one) => one).join(". "))
  parts.busy.toggleAttribute("hidden", model.busy == null)
  setAttributes(parts.busy, {"aria-valuenow": Math.round(100 * (model.busy ?? 0))})
  parts.busy.style.setProperty("--busy", model.busy ?? 0)
}

// Where the user is: ahead of the server while a request is unanswered, else where the server is.
// After a second of that, all that is drawn of the earlier event is marked.
function createMover(model, redraw) {
  let timer = null
  let isLate = false
  const mark = (on) => {
    clearTimeout(timer)
    timer = on ? setTimeout(() => setLate(true), WAITING_AFTER) : null
    if (!on) { setLate(false) }
  }
  const setLate = (late) => {
    if (late === isLate) { return }
    isLate = late
    const {style} = document.documentElement
    if (late) { style.setProperty("--lab-stale", STALE) } else { style.removeProperty("--lab-stale") }
    redraw()
  }
  let wanted = null // by the user, not confirmed yet
  let asked = null // by the request under way
  let request = model._answered
  let sentAt = 0
  const clamp = (index) => Math.min(Math.max(index, 0), model.total - 1)
  const index = () => clamp(wanted ?? model.index)
  const send = () => {
    asked = wanted
    sentAt = performance.now()
    model.send_msg({index: wanted, request: ++request})
  }
  const move = (target) => {
    if (clamp(target) === index()) { return }
    if (wanted === null) { mark(true) }
    wanted = clamp(target)
    if (asked === null || performance.now() - sentAt > RETRY_AFTER) { send() }
    redraw()
  }
  const answered = () => {
    if (model._answered !== request) { return }
    const settled = wanted === asked
    asked = null
    if (settled) {
      wanted = null
      mark(false)
    } else {
      send()
    }
    redraw()
  }
  const place = () => ({index: index(), isLate})
  const end = () => mark(false)
  return {index, place, move, answered, waits: () => asked !== null, isMoving: () => wanted !== null, end}
}

// Plays one event at a time; the server draws each event before the next one starts.
function createPlayer({play, speed}, next) {
  let timer = null
  let rate = 1
  const draw = () => {
    const on = timer !== null
    play.setAttribute("aria-pressed", on)
    play.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${PLAYS[Number(on)]}"/></svg>`
    speed.textContent = `${rate}×`
    speed.setAttribute("aria-label", `Speed ${rate}×`)
  }
  const stop = () => {
    clearInterval(timer)
    timer = null
    draw()
  }
  const start = () => {
    clearInterval(timer)
    timer = setInterval(() => { if (!next()) { stop() } }, PACE / rate)
    draw()
  }
  const toggle = () => { if (timer === null) { start() } else { stop() } }
  play.addEventListener("click", toggle)
  speed.addEventListener("click", () => {
    rate = SPEEDS[(SPEEDS.indexOf(rate) + 1) % SPEEDS.length]
    if (timer === null) { draw() } else { start() }
  })
  draw()
  return {toggle, stop}
}

export function render({model}) {
  const parts = build(model.stop ?? "batch")
  const redraw = once(() => draw(parts, model, mover.place(), prediction))
  const mover = createMover(model, redraw)
  const prediction = createPrediction(model, {move: mover.move, changed: redraw})
  const go = (index) => prediction.act({do: "go", index})
  const player = createPlayer(parts, () => {
    const last = model.total - 1
    if (!mover.waits()) { go(mover.index() + 1) }
    return parts.root.isConnected && mover.index() < last && prediction.asking === null
  })
  const follow = once(() => prediction.follow(mover.isMoving()))
  const act = (name) => {
    if (name === "play") { return player.toggle() }
    if (name === "skip") { return prediction.act({do: "skip"}) }
    player.stop()
    if (name === "next" && mover.index() === model.onwards) { // to the last card, once it is there
      return mover.isMoving() || window.dispatchEvent(new Event("lab:onwards"))
    }
    const place = {index: mover.index(), last: model.total - 1, stops: stopsOf(model)}
    go(ACTIONS[name].to(place))
  }
  const isMeant = () => isShown(parts.root)
  const forget = [
    listenForKeys({isMeant, slider: parts.slider, act}),
    listenForSwipes({isMeant, act}),
    listenForPaper(),
  ]
  for (const [name, button] of Object.entries(parts.buttons)) {
    button.addEventListener("click", () => act(name))
  }
  parts.slider.addEventListener("input", () => {
    player.stop()
    go(Number(parts.slider.value))
    redraw() // where the thumb may not be
  })
  parts.items.addEventListener("click", (event) => {
    const item = event.target.closest("button")
    if (item) {
      player.stop()
      go(Number(item.dataset.index))
    }
  })
  parts.skip.addEventListener("click", () => prediction.act({do: "skip"}))
  const place = () => {
    const here = model.items.find(({index}) => index === model.index)
    if (here) { tellPlace({event: here.event}) }
  }
  const ticks = () => drawTicks(parts.slider, model.starts, model.phases, model.total - 1)
  model.on(["index", "total", "starts", "stops", "items", "status", "busy"], redraw)
  model.on(["index", "total", "asked", "ask", "gap", "facts"], follow)
  model.on("jump", () => { if (model.jump >= 0) { go(model.jump) } })
  model.on(["index", "items"], place)
  model.on(["starts", "phases", "total"], ticks)
  model.on("_answered", () => { mover.answered(); follow() })
  model.on("after_render", () => { ticks(); redraw(); place(); follow() })
  model.on("remove", () => {
    player.stop()
    mover.end()
    prediction.end()
    for (const end of forget) { end() }
  })
  return parts.root
}
