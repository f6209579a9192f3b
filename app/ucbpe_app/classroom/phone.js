// A phone in a class: it joins, asks the server once a second what has changed, and shows the moment that is
// named there, with a question over it or with the answer. What is asked goes through the states of
// predict.js: the round is event 1, and the server decides when it is shown.

const EVERY = 1000 // ms from one question to the server to the next
const WITHIN = 8000 // ms for an answer, on a busy network
const KEEP = "ucbpe-class"
const ROOT = window.location.pathname.replace(/\/class(\/.*)?$/, "/class")
const DARK = window.matchMedia("(prefers-color-scheme: dark)")
const [FREE, LOST] = ["Look up: the next round starts on the screen.", "Connection lost. Trying again…"]
const HOW = {place: "Tap the picture.", choice: "Choose an answer.", set: "Move the slider."}
const CHANGE = {place: "Tap another place", choice: "Choose another", set: "Move the slider"}
const UNTIL = "You can change it until the round is closed."

const byId = (id) => document.getElementById(id)
const pointsOf = (points) => `${points} point${points === 1 ? "" : "s"}`

// The answer of the server, null where nothing is new; an error has the status of a refusal.
async function request(path, body) {
  const post = {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)}
  const answer = await fetch(`${ROOT}/${path}`, {signal: AbortSignal.timeout(WITHIN), ...body && post})
  if (answer.status === 304) { return null }
  const content = await answer.json()
  if (!answer.ok) { throw Object.assign(new Error(content.error), {status: answer.status}) }
  return content
}

// Not by `randomUUID`, which a page without https, as on a hot spot, does not have.
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("")

// The pictures of a place. The next one takes it once it is drawn, so that none is seen half.
function createPictures(place) {
  let [figures, remove] = [null, () => {}]
  const dressed = (these) => dress(these, DARK.matches, Object.entries(DARKER))
  DARK.addEventListener("change", () => { if (figures) { dressed(figures) } })
  return async (moment) => {
    const next = element("div", {class: "picture next"})
    place.append(next)
    const made = layOut(moment, next)
    for (const [id, data] of Object.entries(moment.columns)) { made.figures.get_model_by_id(id).setv({data}) }
    dressed(made.figures)
    const removeNext = await draw(made, next)
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)) })
    remove()
    next.previousElementSibling?.remove()
    next.classList.remove("next")
    place.setAttribute("aria-label", moment.text)
    ;[figures, remove] = [made.figures, removeNext]
  }
}

// How an answer is given, by kind: each draws itself for an answer, or none, and has a name for it. `act`
// is that of the page, `shown` whether the answer is revealed.
function createPlaces(moment, {act, shown, redraw, say}) {
  const {asked, words} = moment
  let [stage, kind, retry] = [null, null, 0]
  const node = byId("nudge")
  const move = ({target}) => {
    const {key} = target.closest("button")?.dataset ?? {}
    if (key) { stage.layer.querySelector(".field").dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true})) }
  }
  node.addEventListener("click", move)
  node.classList.toggle("map", asked.y?.length > 0)
  const open = () => {
    clearTimeout(retry)
    stage ??= createStage(asked.picture, words, redraw, say)
    if (!stage) { retry = setTimeout(redraw, 100) } // a picture that is not there yet
    if (stage && !kind) {
      stage.layer.classList.toggle("gap", shown)
      kind = createPlace(stage, shown ? null : act)
    }
    return kind
  }
  return {
    node,
    draw(mark, isOpen) {
      if (!asked.picture || !open()) { return }
      stage.layer.inert = !isOpen
      if (shown) { kind.gap(mark, asked, {tell: () => {}}) } else { kind.draw(mark, asked, {}) }
      byId("place").textContent = mark === null ? "" : kind.placeOf(mark)
    },
    nameOf: (mark) => kind?.placeOf(mark) ?? "",
    end() {
      clearTimeout(retry)
      node.removeEventListener("click", move)
      stage?.end()
    },
  }
}

function createChoices({choices, right}, {act}) {
  const node = byId("choices")
  const nameOf = (i) => "ABCDEF"[i]
  node.replaceChildren(...choices.map((_, i) => {
    const input = element("input", {type: "radio", name: "choice"})
    input.addEventListener("change", () => act({do: "mark", mark: i}))
    return element("label", {class: "choice"}, input, `${nameOf(i)} ${choices[i]}`, element("b"))
  }))
  const draw = (mark, isOpen) => [...node.children].forEach((label, i) => {
    const sign = right === undefined || right === null ? "" : i === right ? "✓" : i === mark ? "✗" : ""
    Object.assign(label.firstChild, {checked: i === mark, disabled: !isOpen})
    label.className = `choice ${{"✓": "right", "✗": "wrong"}[sign] ?? ""}`
    label.lastChild.textContent = sign
  })
  return {node, draw, nameOf, end: () => {}}
}

function createScale({scale, setting}, {act}) {
  const node = byId("setting")
  const [told, slider] = node.children
  const nameOf = (i) => `${setting} = ${number(scale[i])}`
  slider.max = scale.length - 1
  slider.oninput = () => act({do: "mark", mark: slider.valueAsNumber})
  const draw = (mark, isOpen) => {
    const at = mark ?? Math.floor(scale.length / 2)
    Object.assign(slider, {value: at, disabled: !isOpen})
    slider.setAttribute("aria-valuetext", nameOf(at))
    told.textContent = nameOf(at)
  }
  return {node, draw, nameOf, end: () => {}}
}

// The page of a class that was joined: returns what shows a view of the server.
function createPage({send, momentOf}) {
  const showPicture = createPictures(byId("picture"))
  let [view, moment, answers, state] = [null, null, null, INITIAL]
  let [changing, turn, told, gap, said] = [false, "", "", {}, ""]
  const isOpen = () => view.stage === "open"
  const isSent = () => view.yours !== null && view.yours === state.mark && !changing
  const answer = () => { if (isOpen() && state.mark !== null && !isSent()) { changing = false; send(view, state.mark) } }
  const act = (action) => {
    if (action.do === "next") { answer() } else if (action.do.endsWith("mark")) {
      changing = false
      state = advance(state, action)
      show()
    }
  }

  // A round, or its second vote, has begun: a phone that comes later has its answer from the server.
  function begin() {
    const event = String(view.round)
    const before = state.marked[0]?.event === event ? state.mark : null
    const mark = view.yours ?? before
    state = advance({...INITIAL, last: 1, marked: [{index: 1, event}]}, {do: "open", index: 0})
    if (mark !== null) { state = advance(state, {do: "mark", mark}) }
  }
  // What counts is what the server has.
  function reveal() {
    if (state.asking === null) { return }
    state = advance(view.yours === null ? state : advance(state, {do: "mark", mark: view.yours}), {do: view.yours === null ? "skip" : "next"})
  }

  const titles = {
    waiting: () => ["You are in", view.round ? FREE : "Look up: the first round starts on the screen."],
    over: () => ["The class is over", `You have ${pointsOf(view.points)}.`],
    open: () => (isSent()
      ? [`✓ Sent: ${answers.nameOf(view.yours)}`, `${view.answered} of ${view.joined} have answered. ${CHANGE[moment.kind]} to change yours.`]
      : [moment.words[moment.asked.question] ?? moment.question, view.vote > 1 ? "Second vote. Keep your answer or change it, then send it." : `${HOW[moment.kind]} ${UNTIL}`]),
    closed: () => [view.yours === null ? "The round is closed" : `Closed, yours: ${answers.nameOf(view.yours)}`, "Look up at the screen."],
    revealed: () => {
      if (view.yours === null) { return ["You sent no answer", moment.rule] }
      if (moment.rule) { return [gap.text.replace(/\.$/, ""), `${moment.rule} ${gap.more}`] }
      return [view.won === 100 ? "✓ Right" : "✗ Not quite", `You sent ${answers.nameOf(view.yours)}.`]
    },
  }

  function show() {
    const {stage, phone, vote} = view
    const isAsked = stage !== "waiting" && stage !== "over"
    const mark = stage === "revealed" || stage === "closed" ? view.yours : state.mark
    if (isAsked) { answers.draw(mark, isOpen()) }
    const [title, more] = titles[stage]()
    const sent = isAsked && isOpen() && isSent()
    byId("play").classList.toggle("idle", !isAsked)
    for (const id of ["nudge", "choices", "setting"]) { byId(id).hidden = !isAsked || answers.node.id !== id }
    byId("nudge").hidden ||= !isOpen() || sent || mark === null
    byId("wait").hidden = !sent || moment.kind !== "place"
    Object.assign(byId("wait").firstChild, {max: Math.max(view.joined, 1), value: view.answered})
    byId("class").hidden = stage !== "revealed"
    byId("class").firstChild.textContent = view.sentence && `The class: ${view.sentence}`
    const button = byId("send")
    button.hidden = !isAsked || !isOpen()
    Object.assign(button, {textContent: sent ? "Change" : "Send", className: sent ? "" : "filled", disabled: mark === null})
    byId("title").textContent = title
    byId("more").textContent = more
    byId("colour").style.background = phone.colour
    byId("animal").textContent = `${phone.colour} ${phone.animal}`
    byId("score").textContent = isAsked && stage !== "revealed" ? `round ${view.round}${vote > 1 ? ", vote 2" : ""}` : pointsOf(view.points)
    // Counts, which change each second, are not read out.
    const name = `${stage} ${turn} ${sent}`
    if (name !== told) { byId("said").textContent = [title, sent ? "" : more, stage === "revealed" ? `${said} ${view.sentence}` : ""].join(" ") }
    told = name
  }

  window.addEventListener("lab:note", ({detail}) => {
    detail.isSeen = true // the title over the picture is not needed
    gap = {text: detail.text, more: detail.more}
  })
  byId("send").addEventListener("click", () => {
    if (!isSent()) { return answer() }
    changing = true
    show()
  })

  return {
    get version() { return view?.version ?? 0 },
    async take(news) {
      if (news.version < this.version) { return }
      if (news.moment && news.moment !== moment?.id) {
        const next = await momentOf(news.moment)
        await showPicture(next)
        answers?.end()
        moment = next
        const create = {place: createPlaces, choice: createChoices, set: createScale}[next.kind]
        answers = create(next, {act, shown: "right" in next, redraw: () => show(), say: (text) => { said = text }})
      }
      view = news
      if (view.round && turn !== (turn = `${view.round} ${view.vote}`)) { begin() }
      if (view.stage === "revealed") { reveal() }
      show()
    },
  }
}

// Asks and answers, until the class is over. Views are shown one after the other.
function follow(code, key, first) {
  let last = Promise.resolve()
  const lost = (error) => {
    byId("lost").hidden = !error
    byId("lost").textContent = error?.status ? error.message : LOST
  }
  const page = createPage({
    send: (view, value) => request(`${code}/answer`, {key, round: view.round, vote: view.vote, value}).then(take).catch(lost),
    momentOf: async (id) => {
      const moment = await request(`${code}/moment/${id}`)
      const arrays = unpack(moment.arrays, bytesOf(moment.packed))
      return {...moment, id, asked: decoded(moment.asked, arrays), columns: decoded(moment.columns, arrays)}
    },
  })
  const take = (view) => {
    last = last.catch(() => {}).then(() => view && page.take(view))
    return last
  }
  const ask = async () => {
    try {
      await take(await request(`${code}/state?key=${key}&seen=${page.version}`))
      lost(null)
    } catch (error) { lost(error) }
    setTimeout(ask, EVERY)
  }
  take(first).catch(lost).then(ask)
}

async function join(code) {
  const kept = stored("localStorage", KEEP)
  const key = kept.code === code ? kept.key : newKey()
  const refused = byId("refused")
  try {
    const view = await request(`${code}/join`, {key})
    store("localStorage", KEEP, {code, key})
    window.history.replaceState(null, "", `${ROOT}/${code}`)
    byId("code").textContent = code
    byId("join").hidden = true
    document.querySelector("header").hidden = byId("play").hidden = false
    follow(code, key, view)
    byId("title").focus()
  } catch (error) {
    refused.hidden = false
    refused.textContent = error.status ? error.message : LOST
  }
}

function begin() {
  const inTheme = () => { document.documentElement.dataset.theme = DARK.matches ? "dark" : "light" }
  DARK.addEventListener("change", inTheme)
  inTheme()
  loadFonts()
  const letters = byId("letters")
  const boxes = letters.parentNode.querySelectorAll("span")
  const write = () => boxes.forEach((box, i) => {
    box.textContent = letters.value[i] ?? ""
    box.classList.toggle("here", i === Math.min(letters.value.length, boxes.length - 1))
  })
  letters.value = window.location.pathname.slice(ROOT.length + 1).toUpperCase()
  letters.addEventListener("input", () => {
    letters.value = letters.value.toUpperCase().replace(/[^A-Z]/g, "")
    write()
  })
  write()
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault()
    join(letters.value)
  })
  if (letters.value && stored("localStorage", KEEP).code === letters.value) { join(letters.value) }
}
