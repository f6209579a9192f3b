// Computes and draws the runs of a slider that is dragged. The server does not hear of what is set
// here: before it draws, its `drag` changes, and what was set is taken back.

const STALE = "--lab-stale" // of numbers that the server alone draws: shown paler while others are ahead
const PALE = "0.4"

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
    timeline: {
      read: () => ({items: data.items, status: data.status}),
      write: ({items = data.items, status = data.status}) => set(data, {items, status}),
    },
  }
}

export function render({model, view}) {
  const page = view.model.document
  let engine = null
  let request = null
  let opened = "" // what the engine has of a problem
  let told = "" // what the server said last of the drag
  let drag = null // the same, read
  let screen = null
  let position = null // of the slider: its property
  let ahead = false // whether the screen shows another run than the server's

  const setAhead = (on) => {
    if (ahead === on) { return }
    ahead = on
    const {style} = document.documentElement
    if (on) { style.setProperty(STALE, PALE) } else { style.removeProperty(STALE) }
  }

  function open() {
    if (!engine) {
      engine = createEngine(model.engine)
      request = latestOf((one) => engine.ask({kind: "show", ...one}))
    }
    if (opened === model.problem) { return }
    opened = model.problem
    engine.ask({kind: "open", live: JSON.parse(opened)}).then(({refused}) => {
      if (refused) { model.send_msg({do: "refuse"}) }
    })
  }

  // Draw the run of where the slider is, unless the server has drawn since it was asked for.
  function follow() {
    if (model.drag !== told) { return }
    const asked = told
    const {settings, setting, middle, event, layers} = drag
    const value = Number(general(10 ** (middle + position.get_value()), 3))
    request({settings: {...settings, [setting]: value}, own: [], event, layers}, (answer) => {
      // What cannot be computed, the server says when the slider rests.
      if (answer.error || told !== asked) { return }
      screen.draw(answer.drawn, true)
      setAhead(true)
    })
  }

  function listen(property) {
    if (position === property) { return }
    position?.change.disconnect(follow)
    position = property
    position?.change.connect(follow)
  }

  function change() {
    screen?.restore()
    setAhead(false)
    told = model.drag
    drag = told ? JSON.parse(told) : null
    if (!drag) {
      listen(null)
      return
    }
    open()
    screen = createScreen(surfaceOf(page, drag.targets), [])
    listen(page.get_model_by_id(drag.slider).data.property("value"))
    if (position.get_value() !== drag.at) { follow() }
  }

  model.on("drag", change)
  model.on("remove", () => {
    listen(null)
    engine?.end()
  })
}
