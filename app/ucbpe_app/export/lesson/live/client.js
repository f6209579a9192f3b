// Puts the engine beside the recording: while the settings are the lesson's, events are played
// back; with others they are computed, and the newest request wins.

import {createPanel} from "./panel.js"
import {read, written} from "./state.js"

function createEngine(source, live) {
  const worker = new Worker(URL.createObjectURL(new Blob([source], {type: "text/javascript"})))
  const waiting = new Map()
  let id = 0
  let refused = null
  const ask = (request) => new Promise((resolve) => {
    if (refused) { resolve(refused); return }
    waiting.set(++id, resolve)
    worker.postMessage({id, ...request})
  })
  // What a page around this one may forbid: events are played back all the same.
  worker.onerror = ({message}) => {
    if (message) { return } // by a request, which answers that itself
    refused = {error: "the page around it, or this browser, does not allow it"}
    for (const answer of waiting.values()) { answer(refused) }
    waiting.clear()
  }
  worker.onmessage = ({data}) => {
    waiting.get(data.id)(data)
    waiting.delete(data.id)
  }
  ask({kind: "open", live})
  return {ask}
}

// One request at a time; of those that come meanwhile the last is sent, for all who wait.
function latestOf(ask) {
  let [busy, next, callers] = [false, null, []]
  const send = async () => {
    const [request, called] = [next, callers]
    busy = true
    next = null
    callers = []
    const answer = await ask(request)
    busy = false
    if (next) { send() }
    for (const call of called) { call(answer, next !== null) }
  }
  return (request, call) => {
    next = request
    callers.push(call)
    if (!busy) { send() }
  }
}

// While a slider is dragged these stay, and of those in turns one is drawn with each frame.
const RESTING = /_range$|\.axis$|\.ticks$|\.mapper$|^run$|^algorithm$/
const TURNS = ["plane.", "simple.", "cumulative."]
const WRITTEN_AFTER = 200 // ms without a change until the address has it
const LATE = 400 // ms after which it is said that a run is being computed

const same = (one, other) => one === other || (one !== null && other !== null
  && typeof one === "object" && typeof other === "object" && one.length === other.length
  && Array.prototype.every.call(one, (value, i) => Object.is(value, other[i])))

// Sets what is drawn, but for what is there already; remembers what was there first.
function createScreen({live, figures, parts, transport}) {
  const {ndarray} = Bokeh.require("core/util/ndarray")
  const first = new Map()
  const last = new Map()
  let frames = 0
  const model = (name) => figures.get_model_by_id(live.targets[name])
  const keep = (key, restore) => { if (!first.has(key)) { first.set(key, restore) } }
  const changed = (key, value) => {
    if (same(last.get(key), value)) { return false }
    last.set(key, value)
    return true
  }
  const columnOf = (column) => (column[0]?.values && column[0].shape
    ? column.map(({values, shape}) => ndarray(values, {dtype: dtypeOf(values), shape})) : column)
  const dtypeOf = (values) => ({Float32Array: "float32", Uint8Array: "uint8"})[values.constructor.name]

  function source(name, columns) {
    const target = model(name)
    const {data} = target
    keep(name, () => target.setv({data}))
    const news = Object.entries(columns).map(([column, values]) => (
      changed(`${name}/${column}`, values[0]?.shape ? values[0].values : values)))
    if (news.some((one) => one)) {
      target.setv({data: Object.fromEntries(
        Object.entries(columns).map(([column, values]) => [column, columnOf(values)]))})
    }
  }

  function properties(name, values) {
    const target = model(name)
    const news = Object.entries(values).filter(([key, value]) => changed(`${name}/${key}`, value))
    for (const [key] of news) {
      const before = target[key]
      keep(`${name}/${key}`, () => target.setv({[key]: before}))
    }
    if (news.length) { target.setv(Object.fromEntries(news)) }
  }

  function part(name, key, value) {
    const number = live.targets[name]
    const {content, host} = parts.components[number]
    const before = key === "html" ? content.innerHTML : host.className.split(" ").slice(1)
    keep(`${name}/${key}`, () => parts.set(number, key, before))
    if (changed(`${name}/${key}`, value)) { parts.set(number, key, value) }
  }

  function timeline(values) {
    const before = {total: transport.model.total, starts: transport.model.starts}
    keep("timeline", () => {
      Object.assign(transport.model, before)
      transport.tell("total", "starts")
    })
    const news = Object.entries(values).filter(([key, value]) => (
      changed(`timeline/${key}`, JSON.stringify(value))))
    Object.assign(transport.model, Object.fromEntries(news))
    transport.tell(...news.map(([key]) => key))
  }

  // In a drag the axes stay, so that curves are seen to move and no label is laid out.
  function draw({sources, models, html, classes, timeline: values}, dragged) {
    frames += 1
    const later = (name) => {
      const turn = TURNS.findIndex((one) => name.startsWith(one))
      return dragged && (RESTING.test(name) || (turn >= 0 && turn !== frames % TURNS.length))
    }
    const now = (named) => Object.entries(named).filter(([name]) => !later(name))
    for (const [name, columns] of now(sources)) { source(name, columns) }
    for (const [name, own] of now(models)) { properties(name, own) }
    for (const [name, text] of now(html)) { part(name, "html", text) }
    for (const [name, names] of now(classes)) { part(name, "classes", names) }
    timeline(values)
  }

  // As it was before anything was drawn.
  function restore() {
    for (const back of first.values()) { back() }
    first.clear()
    last.clear()
  }

  return {draw, restore}
}

// `page`: {live, figures, parts, transport, player, codes, root, start, announce}.
export function startLive(page) {
  const {live, figures, transport, player, codes, root, announce} = page
  const engine = createEngine(document.getElementById("engine").textContent, live)
  const request = latestOf((one) => engine.ask({kind: "show", ...one}))
  const screen = createScreen(page)
  const run = document.querySelector("header .run")
  const lesson = live.settings
  let state = {settings: lesson, own: [], event: codes[page.start]}
  let verdict = "Checking the run of the lesson …"
  let writing = 0
  let dragged = false
  let refusal = "" // of a code, until something else is done
  let stale = false // whether the screen shows a computed run

  const isLesson = () => written({...state, event: ""}, lesson) === ""
  const eventOf = (text) => {
    const [t, kind, k] = text.split(".")
    return {t: Number(t), kind, k: Number(k ?? 0)}
  }
  const code = () => written(state, lesson)

  function settle() {
    clearTimeout(writing)
    writing = setTimeout(() => {
      panel.draw(state, code(), isLesson())
      const hash = `#${code()}`
      if (window.location.hash === hash) { return }
      try { history.replaceState(null, "", hash) } catch { window.location.hash = hash }
    }, WRITTEN_AFTER)
  }

  function tell(text) { panel.say(`${refusal}${text}`) }

  function showRun(digest) {
    run.textContent = `run ${digest.slice(0, 8)}`
    run.title = digest
  }

  // The event on screen, whatever was asked for meanwhile.
  function arrive({index, event}) {
    state.event = event.text
    announce("event", {code: event.text, own: false})
    if (transport.model.index === index) { return }
    transport.model.index = index
    transport.tell("index")
  }

  // What was computed, on the screen. A step can overtake the change of a setting before it: each
  // answer says which run it is of.
  function show(answer, superseded) {
    stale = true
    screen.draw(answer.drawn, dragged)
    if (!superseded) { arrive(answer) }
    showRun(answer.digest)
    if (!dragged) { tell(`Computed here: run ${answer.digest.slice(0, 8)}.`) }
  }

  // Draw the state: play it back if it is the lesson's, or have it computed.
  function refresh(answered = () => {}) {
    if (isLesson()) {
      if (stale) { screen.restore() }
      stale = false
      const index = Math.max(codes.indexOf(state.event), 0)
      transport.model.index = index
      player.replay(index)
      transport.tell("index")
      showRun(live.digest)
      tell(verdict)
      settle()
      answered()
      return
    }
    const {settings, own, event} = state
    const late = setTimeout(() => tell("Computing …"), LATE)
    request({settings, own, event: eventOf(event)}, (answer, superseded) => {
      clearTimeout(late)
      if (isLesson()) { answered(); return }
      if (answer.error) {
        tell(`This cannot be computed: ${answer.error}.`)
      } else {
        show(answer, superseded)
      }
      if (!superseded) { settle() }
      answered()
    })
  }

  const nearest = (point) => {
    const {columns} = live.tables
    const spans = columns.map((column) => Math.max(...column) - Math.min(...column) || 1)
    let [best, least] = [0, Infinity]
    for (let i = 0; i < columns[0].length; i++) {
      const far = point.reduce((sum, x, d) => sum + ((columns[d][i] - x) / spans[d]) ** 2, 0)
      if (far < least) { [best, least] = [i, far] }
    }
    return best
  }

  const act = {
    change: (settings, inDrag = false) => {
      dragged = inDrag
      refusal = ""
      state = {...state, settings: {...state.settings, ...settings}}
      panel.drag(state.settings)
      refresh()
    },
    uncover: () => requestAnimationFrame(() => {
      // Style sheets decide which figure comes first.
      const drawn = page.parts.figures.map((one) => one.firstElementChild.getBoundingClientRect())
      const top = Math.min(...drawn.filter(({height}) => height > 0).map((one) => one.top))
      window.scrollBy(0, top - root.getRootNode().host.getBoundingClientRect().bottom)
    }),
    release: () => {
      if (dragged) { act.change({}) }
    },
    measure: (point) => {
      if (state.own.length >= live.limits.mostOwn) { return }
      state = {...state, own: [...state.own, nearest(point)]}
      refresh()
    },
    undo: () => {
      state = {...state, own: state.own.slice(0, -1)}
      refresh()
    },
    reset: () => {
      refusal = ""
      state = {settings: lesson, own: [], event: state.event}
      if (!codes.includes(state.event)) { state.event = codes[page.start] }
      refresh()
    },
    open: (text) => {
      const {state: wanted, refused} = read(text, lesson, {...live.limits})
      state = {...wanted, event: wanted.event || state.event}
      if (isLesson() && !codes.includes(state.event)) { state.event = codes[page.start] }
      refusal = refused.length ? `Not used of this code: ${refused.join(", ")}. ` : ""
      refresh()
    },
  }
  const panel = createPanel(live, root, act)

  for (const id of live.clickable) {
    figures.get_model_by_id(id).on_event("tap", ({x, y}) => {
      const point = [x, y].slice(0, live.tables.columns.length)
      if (point.every(Number.isFinite) && announce("measure", {point})) { act.measure(point) }
    })
  }

  // Go to an event of the run on screen.
  function step(index, answered) {
    if (isLesson()) {
      state = {...state, event: codes[index]}
      player.show(index)
      settle()
      answered()
      return
    }
    const {settings, own} = state
    request({settings, own, index}, (answer, superseded) => {
      if (!answer.error && !isLesson()) {
        show(answer, superseded)
        settle()
      }
      answered()
    })
  }

  async function verify() {
    const {digest, difference, error} = await engine.ask({kind: "verify"})
    const name = live.digest.slice(0, 8)
    verdict = error ? `The run of the lesson cannot be computed here: ${error}.`
      : digest === live.digest ? `Computed again here: same run as ${name}.`
        : `Not the same as run ${name}: ${difference || `its digest is ${digest.slice(0, 8)}`}.`
    if (isLesson()) { tell(verdict) }
  }

  if (window.location.hash.length > 1) { act.open(window.location.hash) } else { settle() }
  panel.draw(state, code(), isLesson())
  tell(verdict)
  ;(window.requestIdleCallback ?? setTimeout)(verify)
  return {step, open: act.open}
}
