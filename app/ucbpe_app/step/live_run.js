// Computes and draws the runs of a setting that is dragged, or moved by keys. The server does not
// hear of what is set here: before it draws, `drawn` changes, and what was set is taken back.

const STALE = "--lab-stale" // of numbers that the server alone draws: shown paler while others are ahead
const PALE = "0.4"
const BUDGET = 10 // ms in which a worker may go beyond the event, until that is drawn
const REST = 50 // ms without a move until a worker is asked for the whole run: it would slow the painting
// In multiplications. The page itself makes a run up to its event, or the whole, if it takes less.
const [SHORT, SHORT_WHOLE] = [2e7, 5e6] // 20 ms or so, and 5 ms

const MOVED = "moved" // the setting whose slider is a measurement in the picture
// With Alt, of the candidate that is looked at: steps of its value; 0 leaves it out, or puts it back.
const MOVES = {ArrowUp: 1, ArrowDown: -1, Delete: 0}
const OWN = ["field", "slider"] // components whose properties are set

// The page for a screen to draw on.
function surfaceOf(page, targets) {
  const modelOf = (name) => page.get_model_by_id(targets[name])
  const model = (name) => (OWN.includes(name) ? modelOf(name).data : modelOf(name))
  const set = (one, properties) => one.setv(properties, {sync: false})
  const keyOf = ({items}) => (items === undefined ? "_html" : "items")
  return {
    names: Object.keys(targets),
    has: (name) => modelOf(name) !== null,
    model,
    set,
    read: (name) => {
      const {data} = modelOf(name)
      return name === "timeline" ? {items: data.items, status: data.status} : data[keyOf(data)]
    },
    write: (name, value) => {
      const {data} = modelOf(name)
      const {items, status} = value
      set(data, name === "timeline" ? {items, status} : {[keyOf(data)]: value})
    },
  }
}

// What modules of these texts export, and how others of them are loaded.
async function loaded(texts, ...names) {
  const load = loaderOf(texts)
  return Object.assign({load}, ...await Promise.all(names.map(load)))
}

// That of the decision plane, if it is on screen.
function windowOf({model}) {
  const [across, upwards] = [model("plane.x_range"), model("plane.y_range")]
  return across && [across.start, across.end, upwards.start, upwards.end]
}

// Says of which setting a slider is dragged or has the focus, see slider.js, and calls `act` when one
// is moved; returns what ends that.
function listenToSliders(model, act) {
  const sliderOf = (event) => event.composedPath().find((part) => part.dataset?.setting)
  let focused = null // as far as it is known
  // A window hears nothing of a focus that moves inside one shadow root, but the Tab key that moved
  // it is let go on the slider.
  const onKey = (event) => {
    const slider = sliderOf(event)
    if (!slider || slider === focused || slider.getRootNode().activeElement !== slider) { return }
    focused = slider
    model.focused = slider.dataset.setting
    slider.addEventListener("blur", () => {
      focused = null
      model.focused = ""
    }, {once: true})
  }
  const onDown = (event) => {
    const slider = sliderOf(event)
    if (slider) { model.dragged = slider.dataset.setting }
  }
  // A slider is let go wherever the pointer is by then. It leaves the focus: see keys.js.
  const onUp = () => { if (model.dragged) { model.dragged = "" } }
  const onInput = (event) => { if (sliderOf(event)?.dataset.setting === model.setting) { act() } }
  const all = {pointerdown: onDown, pointerup: onUp, pointercancel: onUp, keydown: onKey, keyup: onKey}
  for (const [name, react] of Object.entries(all)) { window.addEventListener(name, react, true) }
  window.addEventListener("input", onInput) // the slider has its value by then
  return () => {
    for (const [name, react] of Object.entries(all)) { window.removeEventListener(name, react, true) }
    window.removeEventListener("input", onInput)
  }
}

export function render({model, view}) {
  const page = view.model.document
  let own = null // what the engine's modules export
  let near = null // the engine in the page: what it computes is drawn in the frame of the slider
  let far = null // that in a worker
  let problem = null // what they have
  let surface = null
  let screen = null // while the browser draws
  let moves = 0
  let shown = 0 // the move whose run is on screen
  let ahead = false // whether the screen shows another run than the server's

  const setAhead = (on) => {
    if (ahead === on) { return }
    ahead = on
    const {style} = document.documentElement
    if (on) { style.setProperty(STALE, PALE) } else { style.removeProperty(STALE) }
  }

  // Give an engine the problem.
  function supply(engine) {
    engine.ask({kind: "open", live: problem}).then(({refused}) => {
      if (refused) { model.refused = true }
    })
    engine.request ??= own.latestOf(engine)
  }

  async function open() {
    own ??= await loaded(model.engine, "engine.js", "screen.js", "words.js", "moving.js")
    near ??= own.createEngineInPage(own.load)
    far ??= own.createEngine(model.engine)
    if (problem === model.problem) { return }
    problem = model.problem
    for (const engine of [near, far]) { supply(engine) }
  }

  // Which engine computes a run up to its event, and for how long, in ms, it may go on.
  function planOf({K, T}, event) {
    const {values, start} = problem.tables
    const cost = (t) => values.length * (start.length + t * K) ** 2
    if (cost(T) < SHORT_WHOLE) { return {engine: near, budget: Infinity} }
    const isShort = cost(event.t) < SHORT && model.setting !== MOVED // that needs a whole run first
    return isShort ? {engine: near, budget: 0} : {engine: far, budget: BUDGET}
  }

  // Draw a run, unless the server has drawn since it was asked for, or a later one is shown: the
  // event first, and when the run is whole, if the slider rests until then, the regret, and the axes,
  // which are those of all events, if they are not locked.
  function draw(run, move, {engine, budget}, seen) {
    const {drawn} = model
    engine.request({...run, seen, budget}, (answer, superseded) => {
      // What cannot be computed, the server says when the setting rests.
      if (answer.error || model.drawn !== drawn || move < shown) { return }
      if (answer.drawn) {
        shown = move
        screen.draw(answer.drawn, run.locked || answer.partial)
        setAhead(true)
      }
      if (!answer.partial || superseded) { return }
      if (answer.drawn) { setTimeout(goOn, REST) } else { goOn() }
    })
    const goOn = () => {
      if (model.drawn === drawn && move === moves) {
        draw(run, move, {engine: far, budget: BUDGET}, true)
      }
    }
  }

  const isMoving = () => model.setting === MOVED
  const present = () => (isMoving() ? model.placed : surface.model("slider").value)
  const isDrawn = () => JSON.stringify(present()) === JSON.stringify(model.value)

  // A number as its text field shows it: 40000 and not 4e+04.
  function plain(value) {
    const text = own.general(value, 4)
    return text.includes("e+") && Math.abs(value) < 1e7 ? String(Number(text)) : text
  }

  // The run of the present place of the measurement, or of the value of the slider, which is written
  // above it.
  function asked() {
    if (isMoving()) {
      return {settings: model.settings, moved: own.moveTo(model.moved, ...model.placed)}
    }
    const {value: place, power, factor} = surface.model("slider")
    const value = Number(own.general(factor * 10 ** (power * place), 3))
    const text = plain((value / factor) ** (1 / power))
    screen.draw({models: {
      field: {value: text, value_input: text}, slider: {value_label: text},
    }})
    return {settings: {...model.settings, [model.setting]: value}}
  }

  // Draw that.
  function follow() {
    if (!screen) { return }
    const {event, layers, locked} = model
    const run = {...asked(), own: [], event, layers, locked, window: windowOf(surface)}
    draw(run, ++moves, planOf(run.settings, event), false)
  }

  // The server draws. What else it says in this message comes first.
  function change() {
    screen?.restore()
    screen = null
    setAhead(false)
    if (!model.setting) { return }
    const {drawn} = model
    open().then(() => {
      if (model.drawn !== drawn) { return }
      surface = surfaceOf(page, model.targets)
      screen = own.createScreen(surface)
      if (!isDrawn()) { follow() }
    }, () => { model.refused = true })
  }

  let number = 0 // of the measurement that the pointer holds
  const act = {
    start: (placed) => {
      number = placed
      model.placed = []
      model.dragged = MOVED
    },
    drag: (y) => {
      model.placed = [number, Number(y.toPrecision(4))]
      if (isMoving()) { follow() }
    },
    end: () => {},
    press: (pressed, back) => model.send_msg({number: pressed, back}),
  }
  const listened = new Set() // figures
  const listen = () => {
    if (!model.figure || listened.has(model.figure)) { return }
    listened.add(model.figure)
    const figure = page.get_model_by_id(model.figure)
    loaded(model.hand, "moving.js").then(({listenToMeasurements}) => (
      listenToMeasurements(figure, () => model.moved, act)))
  }

  const onKey = (event) => {
    if (!event.altKey || !(event.key in MOVES)) { return }
    event.preventDefault()
    model.send_msg({steps: MOVES[event.key]})
  }

  listen()
  window.addEventListener("keydown", onKey)
  const forget = listenToSliders(model, follow)
  model.on("figure", listen)
  model.on("drawn", change)
  model.on("remove", () => {
    forget()
    window.removeEventListener("keydown", onKey)
    far?.end()
  })
}
