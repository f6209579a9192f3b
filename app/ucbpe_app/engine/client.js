// Runs the engine as well as the recording: while the settings are the lesson's, events are played
// back; with others they are computed, and the newest request wins.

import {createEngine, latestOf} from "./engine.js"
import {listenToMeasurements, moveTo, onClick} from "./moving.js"
import {createPanel} from "./panel.js"
import {createScreen} from "./screen.js"
import {read, written} from "./state.js"
import {general, say} from "./words.js"

const WRITTEN_AFTER = 200 // ms without a change until the address has it
const LATE = 400 // ms until the page says that a run is being computed

// The file for a screen to draw on.
function surfaceOf({live: {targets}, figures, parts, transport}) {
  const partOf = (name) => parts.components[targets[name]]
  return {
    names: Object.keys(targets),
    has: (name) => name in targets,
    model: (name) => figures.get_model_by_id(targets[name]),
    set: (model, properties) => model.setv(properties),
    read: (name) => {
      if (name !== "timeline") {
        const {kind, model, host, content} = partOf(name)
        return kind === "column" ? !host.hidden : model?.items ?? content.innerHTML
      }
      const {total, starts, asked} = transport.model
      return {total, starts, asked}
    },
    write: (name, value) => {
      if (name !== "timeline") {
        const {kind, model} = partOf(name)
        return parts.set(targets[name], kind === "column" ? "visible" : model ? "items" : "html", value)
      }
      Object.assign(transport.model, value)
      transport.tell(...Object.keys(value))
    },
  }
}

// `page`: {live, figures, parts, transport, player, codes, root, start, announce}; `at` if its one
// recorded event is that of several runs, so that all are computed; `address()` comes before the state;
// `shown()` is called whenever the state is on the screen;
// `arrange(page, layers, show)` does what a layer needs besides drawing; `more` is for the panel.
export function startLive(page) {
  const {live: {modules, ...live}, figures, transport, player, codes, root, announce, at, address = () => ""} = page
  const engine = createEngine(modules)
  engine.ask({kind: "open", live})
  const request = latestOf(engine)
  const screen = createScreen(surfaceOf(page))
  const run = document.querySelector("header .run")
  const lesson = live.settings
  const limits = {...live.limits, ...live.lexicon, layers: live.layers, initial: live.tables.start.length}
  const begun = {settings: lesson, own: [], moved: [], layers: live.layers, against: null}
  let state = {...begun, event: codes[page.start]}
  const {texts} = live.lexicon
  const message = (name, facts) => say(texts, `live.${name}`, facts)
  const short = (digest) => digest.slice(0, 8)
  let verdict = message("checking")
  let writing = 0
  let dragged = false
  let refusal = "" // of a code, until something else is done
  let stale = false // whether the screen shows a computed run
  let hashed = null // what was written to an address that tells of it as if a person had changed it

  const isLesson = () => written({...state, event: ""}, lesson, limits) === ""
  const isPlayed = () => at === undefined && isLesson()
  const eventOf = (text) => {
    const [t, kind, k] = text.split(".")
    return {t: Number(t), kind, k: Number(k ?? 0)}
  }
  const code = () => written(state, lesson, limits)

  function settle() {
    clearTimeout(writing)
    writing = setTimeout(() => {
      panel.draw(state, `${address()}${code()}`, isLesson())
      const hash = `#${address()}${code()}`
      if (window.location.hash === hash) { return }
      try { history.replaceState(null, "", hash) } catch { window.location.hash = hashed = hash }
    }, WRITTEN_AFTER)
  }

  const errorOf = ({error}) => texts[error] ?? error

  function tell(text) { panel.say(`${refusal}${text}`) }

  function showRun(digest) {
    run.textContent = message("run", {run: short(digest)})
    run.title = digest
  }

  // What was computed, on the screen. A step can overtake the change of a setting before it: each
  // answer says which run it is of.
  function show({drawn, index, event, digest, last}, superseded) {
    stale = true
    panel.race(drawn.behind, last)
    screen.draw(drawn, dragged)
    for (const {kind, host} of page.parts.components) { // the last card is of the lesson's run
      if (kind === "ending") { [host.hidden, host.previousElementSibling.hidden] = [true, false] }
    }
    if (!superseded) { arrive(index, event.text) }
    showRun(digest)
    if (!dragged) { tell(message("computed", {run: short(digest)})) }
  }

  // The event on screen, whatever was asked for meanwhile.
  function arrive(index, code) {
    state.event = code
    if (transport.model.index === index) { return }
    transport.model.index = index
    transport.tell("index")
  }

  // Draw the state, or the event of that index in its run: play it back if the run is the lesson's, or
  // have it computed.
  function draw(index = null, answered = () => {}) {
    if (isPlayed()) {
      const place = index ?? Math.max(codes.indexOf(state.event), 0)
      if (stale) { screen.restore() }
      const anew = stale
      stale = false
      arrive(place, codes[place])
      player.show(place, anew) // last: who hears of it can go elsewhere
      showRun(live.digest)
      tell(verdict)
      settle()
      page.shown?.()
      answered()
      return
    }
    const {settings, own, moved, event, layers} = state
    const against = limits.shown && state.against && {settings: state.against, label: message("against")}
    const late = setTimeout(() => tell(message("computing")), LATE)
    const wanted = index === null ? {event: eventOf(event)} : {index}
    request({settings, own, moved, layers, against, ...wanted}, (answer, superseded) => {
      clearTimeout(late)
      if (!isPlayed()) {
        if (answer.error) { tell(message("failed", {error: errorOf(answer)})) } else {
          show(answer, superseded)
          if (!superseded) { announce("event", {code: state.event, own: false}) }
        }
        if (!superseded) { settle() }
        page.shown?.()
      }
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

  // Of another run the first measurements alone are the same.
  const kept = () => state.moved.filter(([number]) => number < live.tables.start.length)

  const act = {
    change: (settings, inDrag = false) => {
      dragged = inDrag
      refusal = ""
      const moved = Object.keys(settings).length ? kept() : state.moved
      state = {...state, moved, settings: {...state.settings, ...settings}}
      panel.drag(state.settings)
      draw()
    },
    move: (moved, inDrag = false) => {
      dragged = inDrag
      refusal = ""
      state = {...state, moved}
      draw()
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
      state = {...state, moved: kept(), own: [...state.own, nearest(point)]}
      draw()
    },
    undo: () => {
      state = {...state, moved: kept(), own: state.own.slice(0, -1)}
      draw()
    },
    reset: () => {
      refusal = ""
      state = {...begun, event: state.event}
      if (!codes.includes(state.event)) { state.event = codes[page.start] }
      arrange()
      draw()
    },
    show: (layers) => {
      // Draws that come are the large ones.
      state = {...state, layers: {...state.layers, ..."draws" in layers ? {featured: ""} : {}, ...layers}}
      arrange()
      draw()
    },
    race: (on) => {
      state = {...state, against: on ? state.settings : null}
      draw()
    },
    open: (text) => {
      const {state: wanted, refused} = read(text, lesson, limits)
      state = {...wanted, event: wanted.event || state.event}
      if (isLesson() && !codes.includes(state.event)) { state.event = codes[page.start] }
      arrange()
      refusal = refused.length ? message("unused", {names: refused.join(", ")}) : ""
      draw()
    },
  }
  // The address has changed; what is shown late is not what is on screen by now.
  const follow = () => {
    if (window.location.hash === hashed) { return }
    hashed = null
    act.open(window.location.hash)
  }
  const arrange = () => page.arrange?.(page, state.layers, act.show)
  const panel = createPanel(live, root, act, page.more)

  const measureAt = ({x, y}) => {
    const point = [x, y].slice(0, live.tables.columns.length)
    if (point.every(Number.isFinite)) { act.measure(point) }
  }
  let holding = 0 // the number of a measurement
  const hand = {
    start: (number) => { holding = page.isDrawing?.() ? null : number },
    drag: (y) => holding !== null && act.move(moveTo(state.moved, holding, Number(general(y, 4))), true),
    end: act.release,
    press: (number, back) => act.move(
      back ? state.moved.filter(([one]) => one !== number) : moveTo(state.moved, number, null)),
    miss: measureAt,
  }
  for (const figure of live.clickable.map((id) => figures.get_model_by_id(id))) {
    if (figure.renderers.some((one) => one.data_source.name === "as_measured")) {
      listenToMeasurements(figure, () => state.moved, hand)
    } else { onClick(figure, measureAt) }
  }

  async function verify() {
    const answer = await engine.ask({kind: "verify"})
    const {digest, difference} = answer
    const name = short(live.digest)
    verdict = answer.error ? message("unchecked", {error: errorOf(answer)})
      : digest === live.digest ? message("same", {run: name})
        : message("other", {run: name,
          difference: difference || message("other.digest", {digest: short(digest)})})
    if (isLesson()) { tell(verdict) }
  }

  if (window.location.hash.length > 1) { act.open(window.location.hash) }
  else if (isPlayed()) { settle() } else { draw() }
  arrange()
  panel.draw(state, `${address()}${code()}`, isLesson())
  tell(verdict)
  if (live.digest) { (window.requestIdleCallback ?? setTimeout)(verify) }
  // Another function, or other random numbers; until it is released if it is being drawn.
  const problem = (tables, inDrag = false) => {
    engine.ask({kind: "open", live: {...live, tables}})
    dragged = inDrag
    state = {...state, moved: []}
    draw()
  }
  // Nothing is computed any more, nor is the state written to an address that is another page's.
  const end = () => {
    clearTimeout(writing)
    engine.end()
  }
  return {step: draw, follow, change: act.change, show: act.show, release: act.release, problem, end,
    get state() { return state }}
}
