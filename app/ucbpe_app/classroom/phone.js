// A phone in a class: it joins, asks the server once a second what has changed, and shows the moment that is
// named there, with a question over it or with the answer. A round has the states of predict.js: what is
// known is event 0, the answer event 1, and the server decides when that is shown.

const EVERY = 1000 // ms from one question to the server to the next
const WITHIN = 8000 // ms for an answer, on a busy network
const KEEP = "ucbpe-class"
const ROOT = window.location.pathname.replace(/\/class(\/[A-Za-z]*)?\/?$/, "/class")
const DARK = window.matchMedia("(prefers-color-scheme: dark)")
const GONE = 404 // the class has ended
const LOST = "Connection lost. Trying again…"
const DO = {place: "Tap the picture.", choice: "Choose an answer.", set: "Move the slider."}
const CHANGE = {place: "Tap another place", choice: "Choose another answer", set: "Move the slider"}

const byId = (id) => document.getElementById(id)
const pointsOf = (points) => `${points} point${points === 1 ? "" : "s"}`

// The answer of the server, null where nothing is new; the error of a refusal has its status.
async function request(path, body) {
  const post = {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)}
  const answer = await fetch(`${ROOT}/${path}`, {signal: AbortSignal.timeout(WITHIN), ...body && post})
  if (answer.status === 304) { return null }
  const content = await answer.json()
  if (!answer.ok) { throw Object.assign(new Error(content.error), {status: answer.status}) }
  return content
}

async function momentOf(code, id) {
  const moment = await request(`${code}/moment/${id}`)
  const arrays = unpack(moment.arrays, bytesOf(moment.packed))
  return {...moment, id, asked: decoded(moment.asked, arrays), columns: decoded(moment.columns, arrays)}
}

const nodesOf = (node) => [node, ...(node.children ?? []).flatMap(nodesOf)]

// The pictures of a place. One that has the figures of the last one fills these anew; another one takes the
// place once it is drawn, so that none is seen half.
function createPictures(place) {
  const fonts = loadFonts()
  let [last, remove] = [{}, () => {}]
  const inTheme = ({figures}) => { if (figures) { dress(figures, DARK.matches, Object.entries(DARKER)) } }
  const fill = ({figures}, {columns, colors}) => {
    for (const [id, data] of Object.entries(columns)) { figures.get_model_by_id(id).setv({data}) }
    for (const [id, own] of Object.entries(colors)) { figures.get_model_by_id(id).setv(own) }
  }
  const refill = (made, moment) => {
    for (const node of nodesOf(moment.tree)) { setAll(made.parts.components[node.number], node) }
    fill(made, moment)
    return made
  }
  const replace = async (moment) => {
    const next = element("div", {class: "picture next"})
    place.append(next)
    const made = layOut(moment, next)
    fill(made, moment)
    inTheme(made)
    await fonts
    const removeNext = await draw(made, next)
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)) })
    remove()
    next.previousElementSibling?.remove()
    next.classList.remove("next")
    remove = removeNext
    return made
  }
  DARK.addEventListener("change", () => inTheme(last.made ?? {}))
  return async (moment) => {
    const figures = JSON.stringify(moment.document)
    const made = figures === last.figures ? refill(last.made, moment) : await replace(moment)
    last = {figures, made}
    place.setAttribute("aria-label", moment.text)
  }
}

// The ways to answer: each draws an answer, or none, and names it. `act` takes an action of predict.js.

function createPin({asked, words, right}, {act, redraw, say}) {
  const [node, stage] = [byId("nudge"), createStage(asked.picture, words, redraw, say)]
  const isGap = right !== undefined
  const pin = stage && createPlace(stage, isGap ? null : act)
  stage?.layer.classList.toggle("gap", isGap)
  node.classList.toggle("map", asked.y?.length > 0)
  node.onclick = ({target}) => {
    const {key} = target.closest("button")?.dataset ?? {}
    if (key) { stage.layer.querySelector(".field").dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true})) }
  }
  const draw = (mark, isOpen) => {
    if (!stage) { return } // after an event that is no pick
    stage.layer.inert = !isOpen
    if (isGap) { pin.gap(mark, asked, {tell: () => {}}) } else { pin.draw(mark, asked, {}) }
    byId("place").textContent = mark === null ? "" : pin.placeOf(mark)
  }
  return {node, draw, nameOf: (mark) => pin?.placeOf(mark) ?? "", end: () => stage?.end()}
}

function createChoices({question, choices, right}, {act}) {
  const node = byId("choices")
  node.setAttribute("aria-label", question)
  const nameOf = (i) => "ABCDEF"[i]
  node.replaceChildren(...choices.map((text, i) => {
    const input = element("input", {type: "radio", name: "choice"})
    input.addEventListener("change", () => act({do: "mark", mark: i}))
    return element("label", {class: "choice"}, input, `${nameOf(i)} ${text}`, element("b"))
  }))
  const draw = (mark, isOpen) => [...node.children].forEach((label, i) => {
    const kind = (right ?? null) === null ? "" : i === right ? "right" : i === mark ? "wrong" : ""
    Object.assign(label.firstChild, {checked: i === mark, disabled: !isOpen})
    label.className = `choice ${kind}`
    label.lastChild.textContent = {right: "✓", wrong: "✗"}[kind] ?? ""
  })
  return {node, draw, nameOf, end: () => {}}
}

function createScale({scale, setting}, {act}) {
  const node = byId("setting")
  const [value, slider] = node.children
  const nameOf = (i) => `${setting} = ${number(scale[i])}`
  slider.max = scale.length - 1
  slider.oninput = () => act({do: "mark", mark: slider.valueAsNumber})
  const draw = (mark, isOpen) => {
    Object.assign(slider, {value: mark ?? Math.floor(scale.length / 2), disabled: !isOpen})
    value.textContent = nameOf(slider.value)
    slider.setAttribute("aria-valuetext", value.textContent)
  }
  return {node, draw, nameOf, end: () => {}}
}

const WAYS = {place: createPin, choice: createChoices, set: createScale}

// The page of a class that was joined. Returns what shows a view of the server's; `send` answers that.
function createPage(code, send) {
  const showPicture = createPictures(byId("picture"))
  let [view, moment, way, state] = [null, null, null, INITIAL]
  let [turn, changing, gap, said, told] = ["", false, {}, "", ""]
  const isOpen = () => view.stage === "open"
  const isSent = () => isOpen() && view.yours !== null && view.yours === state.mark && !changing
  const answer = () => { if (isOpen() && state.mark !== null && !isSent()) { send(view, state.mark) } }
  const act = (action) => {
    if (action.do === "next") { return answer() }
    if (action.do === "skip" || action.do === "back") { return }
    changing = false
    state = advance(state, action)
    show()
  }

  // A round, or its second vote, begins with the answer that the server has, or that this phone had.
  function begin() {
    const event = String(view.round)
    const mark = view.yours ?? (state.asking === event ? state.mark : null)
    state = advance({...INITIAL, last: 1, marked: [{index: 1, event}]}, {do: "open", index: 0})
    state = advance(state, {do: "mark", mark})
  }

  const titles = {
    waiting: () => ["You are in", "Look up: the next round starts on the screen."],
    over: () => ["The class is over", `You have ${pointsOf(view.points)}.`],
    open: () => {
      if (isSent()) { return [`✓ Sent: ${way.nameOf(view.yours)}`, `${view.answered} of ${view.joined} have answered. ${CHANGE[moment.kind]} to change yours.`] }
      const title = moment.words[moment.asked.question] ?? moment.question
      return [title, view.vote > 1 ? "Second vote. Keep your answer or change it, then send it." : `${DO[moment.kind]} You can change it until the round is closed.`]
    },
    closed: () => [view.yours === null ? "The round is closed" : `Closed, yours: ${way.nameOf(view.yours)}`, "Look up at the screen."],
    revealed: () => {
      if (view.yours === null) { return ["You sent no answer", moment.rule] }
      if (moment.rule) { return [gap.text.replace(/\.$/, ""), `${moment.rule} ${gap.more}`] }
      const right = (moment.right ?? view.yours) === view.yours ? "" : ` ${way.nameOf(moment.right)} is right.`
      return [view.won === 100 ? "✓ Right" : view.won > 0 ? "Nearly" : "✗ Not quite", `You sent ${way.nameOf(view.yours)}.${right}`]
    },
  }

  function show() {
    const {stage, round, vote, phone, points, sentence} = view
    const isAsked = stage !== "waiting" && stage !== "over"
    const mark = isOpen() ? state.mark : view.yours
    if (isAsked) { way.draw(mark, isOpen()) }
    const [[title, more], sent] = [titles[stage](), isSent()]
    byId("play").className = isAsked ? stage : "idle"
    for (const id of ["nudge", "choices", "setting"]) { byId(id).hidden = !isAsked || way.node.id !== id }
    byId("nudge").hidden ||= !isOpen() || sent || mark === null
    byId("wait").hidden = !sent || moment.kind !== "place"
    Object.assign(byId("wait").firstChild, {max: view.joined, value: view.answered})
    byId("class").hidden = stage !== "revealed"
    byId("class").firstChild.textContent = sentence
    Object.assign(byId("send"), {hidden: !isOpen(), textContent: sent ? "Change" : "Send", className: sent ? "" : "filled", disabled: mark === null})
    byId("title").textContent = title
    byId("more").textContent = more
    byId("colour").style.background = phone.colour
    byId("animal").textContent = `${phone.colour} ${phone.animal}`
    byId("score").textContent = stage === "open" || stage === "closed" ? `round ${round}${vote > 1 ? ", vote 2" : ""}` : pointsOf(points)
    const name = `${stage} ${turn} ${sent}` // counts, which change each second, are not read out
    if (name !== told) { byId("said").textContent = [said || title, sent ? "" : more, sentence].join(" ") }
    told = name
  }

  window.addEventListener("lab:note", ({detail}) => {
    gap = {text: detail.text, more: detail.more}
    detail.isSeen = true
  })
  byId("send").addEventListener("click", () => {
    if (!isSent()) { return answer() }
    changing = true
    show()
  })
  return async (news) => {
    if (news.moment && news.moment !== moment?.id) {
      const next = await momentOf(code, news.moment)
      await showPicture(next)
      way?.end()
      said = ""
      moment = next
      way = WAYS[next.kind](next, {act, redraw: () => show(), say: (text) => { said = text }})
    }
    view = news
    changing = false
    const now = `${view.round} ${view.vote}`
    if (view.round && now !== turn) { begin() }
    turn = now
    show()
  }
}

// What went wrong, or null. It lies over the head of the page, and moves nothing.
function tell(error) {
  byId("lost").hidden = !error
  byId("lost").textContent = error?.status ? error.message : LOST
}

// Asks what is new and sends answers, until the class is over. Views are shown one after the other.
function follow(code, key, first) {
  let [last, seen] = [Promise.resolve(), {version: 0}]
  const take = (view) => {
    last = last.catch(() => {}).then(async () => {
      if (!view || view.version < seen.version) { return }
      await show(view)
      seen = view
    })
    return last
  }
  const show = createPage(code, ({round, vote}, value) => (
    request(`${code}/answer`, {key, round, vote, value}).then(take).catch(tell)))
  const ask = async () => {
    try {
      await take(await request(`${code}/state?key=${key}&seen=${seen.version}`))
      tell(null)
    } catch (error) { await (error.status === GONE ? take({...seen, stage: "over"}) : tell(error)) }
    if (seen.stage !== "over") { setTimeout(ask, EVERY) }
  }
  take(first).catch(tell).then(ask)
}

// Not by `randomUUID`, which a page without https, as on a hot spot, does not have.
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("")

async function join(code) {
  const kept = stored("localStorage", KEEP)
  const key = kept.code === code ? kept.key : newKey()
  byId("join").inert = true // once
  try {
    const view = await request(`${code}/join`, {key})
    tell(null)
    store("localStorage", KEEP, {code, key})
    window.history.replaceState(null, "", `${ROOT}/${code}`)
    byId("code").textContent = code
    byId("join").hidden = true
    byId("who").hidden = byId("play").hidden = false
    follow(code, key, view)
    byId("title").focus()
  } catch (error) {
    byId("join").inert = false
    tell(error)
  }
}

function begin() {
  const inTheme = () => { document.documentElement.dataset.theme = DARK.matches ? "dark" : "light" }
  DARK.addEventListener("change", inTheme)
  inTheme()
  const letters = byId("letters")
  const write = () => {
    letters.value = letters.value.toUpperCase().replace(/[^A-Z]/g, "")
    for (const [i, box] of [...letters.parentNode.children].slice(1).entries()) {
      box.textContent = letters.value[i] ?? ""
      box.classList.toggle("here", i === Math.min(letters.value.length, letters.maxLength - 1))
    }
  }
  letters.value = window.location.pathname.slice(ROOT.length)
  letters.addEventListener("input", write)
  write()
  byId("join").addEventListener("submit", (event) => {
    event.preventDefault()
    join(letters.value)
  })
  if (letters.value && stored("localStorage", KEEP).code === letters.value) { join(letters.value) }
}
