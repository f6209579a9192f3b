// What is drawn of a computed run, set on the models and words of the page.

// While a slider is dragged these stay, and of those in turns one is drawn with each frame.
const RESTING = /_range$|\.axis$|\.ticks$|\.mapper$|^run$|^algorithm$/
const TURNS = ["plane.", "simple.", "cumulative."]

const same = (one, other) => one === other || (one !== null && other !== null
  && typeof one === "object" && typeof other === "object" && one.length === other.length
  && Array.prototype.every.call(one, (value, i) => Object.is(value, other[i])))

// Sets what is drawn, but for what is there already; remembers what was there first.
export function createScreen({live, figures, parts, transport}) {
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
