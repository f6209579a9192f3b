// What is drawn of a computed run, set on the models and words of a page.

// While a slider is dragged these stay, as do legends of all roles of the run; of TURNS one is drawn
// with each frame.
export const RESTING = /_range$|[._]axis$|[._]ticks$|\.colors$|^run$/
export const TURNS = ["plane.", "simple.", "cumulative."]

const same = (one, other) => one === other || (one !== null && other !== null
  && typeof one === "object" && typeof other === "object" && one.length === other.length
  && Array.prototype.every.call(one, (value, i) => Object.is(value, other[i])))

// Sets what is drawn, but for what is there already; remembers what was there first. The `surface`
// says where: whether it `has` a name, the `model` of a name, how to `set` properties of a model, to
// `read` and `write` the "html" or the "classes" of a name, its `labels`, and the properties of the `timeline`.
export function createScreen(surface, turns = TURNS) {
  const {ndarray} = Bokeh.require("core/util/ndarray")
  const first = new Map()
  const last = new Map()
  let frames = 0
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
    const target = surface.model(name)
    const {data} = target
    keep(name, () => surface.set(target, {data}))
    const news = Object.entries(columns).map(([column, values]) => (
      changed(`${name}/${column}`, values[0]?.shape ? values[0].values : values)))
    if (news.some((one) => one)) {
      surface.set(target, {data: Object.fromEntries(
        Object.entries(columns).map(([column, values]) => [column, columnOf(values)]))})
    }
  }

  function properties(name, values) {
    const target = surface.model(name)
    const news = Object.entries(values).filter(([key, value]) => changed(`${name}/${key}`, value))
    for (const [key] of news) {
      const before = target[key]
      keep(`${name}/${key}`, () => surface.set(target, {[key]: before}))
    }
    if (news.length) { surface.set(target, Object.fromEntries(news)) }
  }

  function part(name, key, value) {
    const before = surface.read(name, key)
    keep(`${name}/${key}`, () => surface.write(name, key, before))
    if (changed(`${name}/${key}`, value)) { surface.write(name, key, value) }
  }

  // Those of a run behind stay: the engine does not know it.
  function labels(name, items) {
    const before = surface.labels.read(`${name}.labels`)
    keep(`${name}.labels`, () => surface.labels.write(`${name}.labels`, before))
    const [across, upwards] = ["x", "y"].map((axis) => surface.model(`${name}.${axis}_range`))
    const share = (value = 0, {start, end}) => (value - start) / (end - start)
    const placed = items.map(({text, role = "", place, strong = false, meaning, x, y}) => (
      {text, role, place, strong, meaning, x: share(x, across), y: share(y, upwards)}))
    const shown = [...placed, ...before.filter(({role}) => role === "pinned")]
    if (changed(`${name}.labels`, JSON.stringify(shown))) {
      surface.labels.write(`${name}.labels`, shown)
    }
  }

  function timeline(values) {
    const before = surface.timeline.read()
    keep("timeline", () => surface.timeline.write(before))
    const news = Object.entries(values).filter(([key, value]) => (
      changed(`timeline/${key}`, JSON.stringify(value))))
    if (news.length) { surface.timeline.write(Object.fromEntries(news)) }
  }

  // In a drag the axes stay, so that curves are seen to move and no label is laid out.
  function draw({sources, models, html, classes, labels: named, timeline: values}, dragged) {
    frames += 1
    const later = (name) => {
      const turn = turns.findIndex((one) => name.startsWith(one))
      return dragged && (RESTING.test(name) || (turn >= 0 && turn !== frames % turns.length))
    }
    const now = (all) => Object.entries(all)
      .filter(([name]) => surface.has(name) && !later(name))
    for (const [name, columns] of now(sources)) { source(name, columns) }
    for (const [name, own] of now(models)) { properties(name, own) }
    for (const [name, items] of Object.entries(named)) {
      if (surface.has(`${name}.labels`)) { labels(name, items) }
    }
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
