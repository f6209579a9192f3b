// Present in a file: the dashboard's button and keys, with this file in the place of the server; and the
// thick lines and large points that Python draws for a room.

// A property of a glyph that is a number, a length as "14px", or a column of such numbers.
function scaled(spec, factor) {
  if (spec === null || typeof spec !== "object") { return scaled({value: spec}, factor).value }
  if ("field" in spec) {
    const {LinearInterpolator} = Bokeh.require("models/transforms/linear_interpolator")
    return {...spec, transform: new LinearInterpolator({x: [0, 1000], y: [0, 1000 * factor]})}
  }
  const {value} = spec
  return {value: typeof value === "number" ? factor * value
    : typeof value === "string" ? `${factor * parseFloat(value)}px` : value}
}

// `factors`: of properties by their names, and of what surrounds a frame.
function createLarge({borders: room, ...factors}) {
  let before = []
  const set = (model, properties) => {
    before.push([model, Object.fromEntries(Object.keys(properties).map((name) => [name, model[name]]))])
    model.setv(properties)
  }
  const widen = ({model, tell}) => {
    const own = model.borders
    before.push([{setv: (properties) => { Object.assign(model, properties); tell("borders") }}, {borders: own}])
    model.borders = own.map((one) => Math.round(room * one))
    tell("borders")
  }
  const restore = () => {
    for (const [model, properties] of before) { model.setv(properties) }
    before = []
  }
  const enlarge = ({figures, parts}) => {
    for (const {type, glyph} of [...figures.all_models]) {
      if (type !== "GlyphRenderer") { continue }
      const names = Object.keys(factors).filter((name) => name in glyph.attributes)
      set(glyph, Object.fromEntries(names.map((name) => [name, scaled(glyph[name], factors[name])])))
    }
    for (const figure of figures.roots()) {
      const sides = ["left", "right", "top", "bottom"].map((side) => `min_border_${side}`)
      set(figure, Object.fromEntries(sides.map((side) => [side, Math.round(room * figure[side])])))
    }
    parts.components.filter(({kind}) => kind === "labels").forEach(widen)
  }
  return {restore, enlarge, forget: () => { before = [] }}
}

// Puts the button into the header. `follow` takes a page that was opened anew, its `screen` and its title.
function createPresent({sheets, factors, steps}) {
  const parts = {figures: [], components: []}
  const [button, keys] = ["present", "keys"].map((kind, number) => build({
    kind, number, sheets: sheets[kind], margin: "0", presented: false, stage: [], without: [..."DCPO"],
  }, parts))
  keys.classList.add("lab-keys")
  document.getElementById("theme").before(button)
  const [{model, tell}] = parts.components
  const large = createLarge(factors)
  let [page, screen, title] = [null, null, ""]
  const draw = () => {
    const on = model.presented
    document.documentElement.classList.toggle("presented", on)
    const card = page.parts.components.find(({kind}) => kind === "card")
    const why = page.parts.components.find(({host}) => host.classList.contains("lab-why"))
    for (const {host} of [screen, card, why]) { host.classList.toggle("lab-presented", on) }
    card.model.title = on ? title : "" // which else the menu has
    card.tell("title")
    for (const {host: {classList}} of page.parts.components) {
      classList.replace(...on ? ["lab-for-step", "lab-for-present"] : ["lab-for-present", "lab-for-step"])
    }
    large.restore()
    if (on) { large.enlarge(page) }
  }
  const asked = {
    truth: ({live}) => live.show({truth: !live.state.layers.truth}),
    regret: () => screen.host.classList.toggle("lab-sums"),
    ...Object.fromEntries(Object.entries(steps).map(([name, [setting, factor]]) => [name, ({live}) => (
      live.change({[setting]: Number((factor * live.state.settings[setting]).toPrecision(3))}))])),
  }
  model.send_msg = ({presented, asked: name}) => {
    if (name) { asked[name]?.(page) } else {
      model.presented = presented
      tell("presented")
      draw()
      if (!presented) { page.live?.show({}) } // the regret that a key chose goes
    }
  }
  const follow = (opened, {screen: number}, named) => {
    large.forget()
    page = opened
    title = named
    screen = page.parts.components[number]
    screen.host.shadowRoot.append(keys)
    draw()
    tell("presented") // of figures that are new
  }
  return {follow}
}
