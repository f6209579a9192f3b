// What is drawn of a computed run, set on the models and words of a page.

// While a slider is dragged these stay, as do legends of all roles of the run.
export const RESTING = /_range$|[._]axis$|[._]ticks$|\.colors$|^run$/

function same(one, other) {
  if (one instanceof Map && other instanceof Map) { return same([...one].flat(), [...other].flat()) }
  return one === other || (one !== null && other !== null
    && typeof one === "object" && typeof other === "object" && one.length === other.length
    && Array.prototype.every.call(one, (value, i) => Object.is(value, other[i])))
}

// What is drawn of a run behind, or for a person: the engine does not know it.
const KEPT = /\.(pinned\w*|pointed|lit)$/

// Sets what is drawn, but for what is there already; remembers what was there first. The `surface`
// says where: all `names`, whether it `has` one, the `model` of one, how to `set` properties of a model, and
// to `read` and `write` what else has a name: HTML, the items of "<plot>.labels", the "timeline".
export function createScreen(surface) {
  const {ndarray} = Bokeh.require("core/util/ndarray")
  const first = new Map()
  const last = new Map()
  const keep = (key, restore) => { if (!first.has(key)) { first.set(key, restore) } }
  const changed = (key, value) => {
    if (same(last.get(key), value)) { return false }
    last.set(key, value)
    return true
  }
  const columnOf = (column) => (column[0]?.values && column[0].shape
    ? column.map(({values, shape}) => ndarray(values, {dtype: dtypeOf(values), shape})) : column)
  const dtypeOf = (values) => ({Float32Array: "float32", Uint8Array: "uint8", Int8Array: "int8"})[values.constructor.name]

  // Of a source without columns all rows go.
  function source(name, given) {
    const target = surface.model(name)
    const {data} = target
    const columns = given ?? Object.fromEntries(target.columns().map((column) => [column, []]))
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

  function write(name, value, key = value) {
    const before = surface.read(name)
    keep(name, () => surface.write(name, before))
    if (changed(name, key)) { surface.write(name, value) }
  }

  // Those of a run behind stay, unless the engine draws it.
  function labels(plot, items, behind) {
    const name = `${plot}.labels`
    const [across, upwards] = ["x", "y"].map((axis) => surface.model(`${plot}.${axis}_range`))
    const share = (value = 0, {start, end}) => (value - start) / (end - start)
    const placed = items.map(({text, role = "", place, strong = false, meaning, x, y}) => (
      {text, role, place, strong, meaning, x: share(x, across), y: share(y, upwards)}))
    const shown = [...placed, ...surface.read(name).filter(({role}) => role === "pinned" && behind === undefined)]
    write(name, shown, JSON.stringify(shown))
  }

  // What a picture has, and empties for what else its plots could have.
  function marksOf(sources) {
    const plotOf = (name) => name.split(".")[0]
    const drawn = new Set(Object.keys(sources).map(plotOf))
    const others = surface.names.filter((name) => drawn.has(plotOf(name)) && !(name in sources)
      && !KEPT.test(name) && surface.model(name)?.type === "ColumnDataSource")
    return {...sources, ...Object.fromEntries(others.map((name) => [name, null]))}
  }

  // In a drag the axes stay, so that curves are seen to move and no label is laid out.
  function draw({sources = {}, models = {}, html = {}, labels: named = {}, timeline, behind}, dragged) {
    const now = (all) => Object.entries(all)
      .filter(([name]) => surface.has(name) && !(dragged && RESTING.test(name)))
    for (const [name, columns] of now(marksOf(sources))) { source(name, columns) }
    for (const [name, own] of now(models)) { properties(name, own) }
    for (const [name, items] of Object.entries(named)) {
      if (surface.has(`${name}.labels`)) { labels(name, items, behind) }
    }
    for (const [name, text] of now(html)) { write(name, text) }
    if (timeline) { write("timeline", timeline, JSON.stringify(timeline)) }
  }

  // As it was before anything was drawn.
  function restore() {
    for (const back of first.values()) { back() }
    first.clear()
    last.clear()
  }

  return {draw, restore}
}
