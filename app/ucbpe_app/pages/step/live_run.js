// Computes and draws the runs of a setting that is dragged, or moved by keys. The server does not
// hear of what is set here: before it draws, its `drag` changes, and what was set is taken back.

const STALE = "--lab-stale" // of numbers that the server alone draws: shown paler while others are ahead
const PALE = "0.4"
const BUDGET = 10 // ms in which a worker may go beyond the event, until that is drawn
const REST = 50 // ms without a move until a worker is asked for the whole run: it would slow the painting
// In multiplications. The page itself makes a run up to its event, or the whole, if it takes less.
const [SHORT, SHORT_WHOLE] = [2e7, 5e6] // 20 ms or so, and 5 ms

// The page for a screen to draw on.
function surfaceOf(page, targets) {
  const model = (name) => page.get_model_by_id(targets[name])
  const set = (one, properties) => one.setv(properties, {sync: false})
  const {data} = model("timeline")
  return {
    has: (name) => model(name) !== null,
    model,
    set,
    read: (name) => model(name).data.object,
    write: (name, key, value) => set(model(name).data, {object: value}),
    labels: {
      read: (name) => model(name).data.items,
      write: (name, items) => set(model(name).data, {items}),
    },
    timeline: {
      read: () => ({items: data.items, status: data.status}),
      write: ({items = data.items, status = data.status}) => set(data, {items, status}),
    },
  }
}

// A number as its text field shows it: 40000 and not 4e+04.
function plain(value) {
  const text = general(value, 4)
  return text.includes("e+") && Math.abs(value) < 1e7 ? String(Number(text)) : text
}

// That of the decision plane, if it is on screen.
function windowOf({model}) {
  const [across, upwards] = [model("plane.x_range"), model("plane.y_range")]
  return across && [across.start, across.end, upwards.start, upwards.end]
}

export function render({model, view}) {
  const page = view.model.document
  let near = null // the engine in the page: what it computes is drawn in the frame of the slider
  let far = null // that in a worker
  let problem = null // what they have, and its text
  let told = "" // what the server said last of the drag
  let drag = null // the same, read
  let surface = null
  let screen = null
  let position = null // of the slider: its property
  let unwritten = null // puts back what the field and the thumb had before a value was written
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
    engine.ask({kind: "open", live: problem.live}).then(({refused}) => {
      if (refused) { model.send_msg({do: "refuse"}) }
    })
    engine.request ??= latestOf(engine)
  }

  function open() {
    near ??= createEngineInPage(model.engine)
    far ??= createEngine(model.engine)
    if (problem?.text === model.problem) { return }
    problem = {text: model.problem, live: JSON.parse(model.problem)}
    for (const engine of [near, far]) { supply(engine) }
  }

  // Which engine computes a run up to its event, and for how long, in ms, it may go on.
  function planOf({settings: {K, T}, event}) {
    const {values, start} = problem.live.tables
    const cost = (t) => values.length * (start.length + t * K) ** 2
    if (cost(T) < SHORT_WHOLE) { return {engine: near, budget: Infinity} }
    return cost(event.t) < SHORT ? {engine: near, budget: 0} : {engine: far, budget: BUDGET}
  }

  const value = () => Number(general(10 ** (drag.middle + position.get_value()), 3))

  // Draw a run, unless the server has drawn since it was asked for, or a later one is shown: the
  // event first, and when the run is whole, if the slider rests until then, the regret, and the axes,
  // which are those of all events, if they are not held.
  function draw(run, move, {engine, budget}, seen) {
    const asked = told
    engine.request({...run, seen, budget}, (answer, superseded) => {
      // What cannot be computed, the server says when the setting rests.
      if (answer.error || told !== asked || move < shown) { return }
      if (answer.drawn) {
        shown = move
        screen.draw(answer.drawn, drag.held || answer.partial)
        setAhead(true)
      }
      if (!answer.partial || superseded) { return }
      if (answer.drawn) { setTimeout(goOn, REST) } else { goOn() }
    })
    const goOn = () => {
      if (told === asked && move === moves) { draw(run, move, {engine: far, budget: BUDGET}, true) }
    }
  }

  // Write the value in the field and at the thumb: in the frame of the slider.
  function write(value) {
    const [field, slider] = [drag.field, drag.slider].map((id) => page.get_model_by_id(id).data)
    const put = (text, label) => {
      field.setv({value: text, value_input: text}, {sync: false})
      slider.setv({value_label: label}, {sync: false})
    }
    unwritten ??= put.bind(null, field.value, slider.value_label)
    const text = plain(value)
    put(text, text)
  }

  // Draw the run of the present value.
  function follow() {
    if (!drag || model.drag !== told) { return }
    const {settings, setting, event, layers, held} = drag
    write(value())
    const changed = {...settings, [setting]: value()}
    const run = {settings: changed, own: [], event, layers, held, window: windowOf(surface)}
    draw(run, ++moves, planOf(run), false)
  }

  function listen(property) {
    if (position === property) { return }
    position?.change.disconnect(follow)
    position = property
    position?.change.connect(follow)
  }

  function change() {
    screen?.restore()
    unwritten?.()
    unwritten = null
    setAhead(false)
    told = model.drag
    drag = told ? JSON.parse(told) : null
    if (!drag) {
      listen(null)
      return
    }
    open()
    surface = surfaceOf(page, drag.targets)
    screen = createScreen(surface, [])
    listen(page.get_model_by_id(drag.slider).data.property("value"))
    if (position.get_value() !== drag.at) { follow() }
  }

  model.on("drag", change)
  model.on("remove", () => {
    listen(null)
    far?.end()
  })
}
