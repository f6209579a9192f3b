// Opens the run of a start, over the page of as many inputs: see `playground.py`. After # is the name
// of the start, then its noise seed, or the heights of a curve that was drawn, and the state of the run.

const [KNOTS, MOST_KNOTS, HIGHEST] = [24, 40, 1e100] // of a drawn curve: sums of squares are numbers
const HEIGHTS = "0,0.6,1,0.4,-0.4,-0.6,0,0.9,1.6,1.1,0.2,-0.3"

function startOf(starts, name, now) {
  return starts.find((one) => one.name === name) ?? now ?? starts[0]
}

function heightsOf(text) {
  const heights = (text ?? "").split(/[\s,;]+/).filter((one) => one).map(Number)
  const good = heights.length > 1 && heights.length <= MOST_KNOTS && heights.every((one) => Math.abs(one) <= HIGHEST)
  return good ? heights : null
}

// The values of a drawn curve: a cubic through evenly spaced heights, with the slopes of their chords.
function curveThrough(heights, x) {
  const [low, high, last] = [Math.min(...x), Math.max(...x), heights.length - 1]
  const slope = (i) => (heights[Math.min(i + 1, last)] - heights[Math.max(i - 1, 0)]) / 2
  return x.map((one) => {
    const place = (one - low) / (high - low) * last
    const i = Math.min(Math.floor(place), last - 1)
    const s = place - i
    const [a, b, from, to] = [heights[i], heights[i + 1], slope(i), slope(i + 1)]
    return a + s * (from + s * (3 * (b - a) - 2 * from - to + s * (2 * (a - b) + from + to)))
  })
}

// The tables of a start's problem, with the random numbers of a seed.
function tablesOf({functions, tables}, {function: name, random, drawn, seed: first}, {seed, heights}) {
  const own = {...functions[name], seed: first + seed}
  const {startNoise, ...chosen} = Object.fromEntries(Object.entries(random[seed])
    .map(([key, number]) => [key, tables[number]]))
  if (!drawn) { return {...own, ...chosen} }
  const values = curveThrough(heights, own.columns[0])
  const startY = chosen.start.map((i, k) => values[i] + own.noiseStd * startNoise[k])
  return {...own, ...chosen, values, startY}
}

// The recording of a start, as a lesson's file has it.
function recordingOf(file, start, given) {
  const {shapes, lexicon, modules, starts, arrays, dark} = file
  const shape = shapes[start.shape]
  const alike = starts.filter((one) => one.shape === start.shape)
  const {settings, layers, digest, expected, codes} = start
  const limits = {...start.limits, starts: starts.map(({name}) => name)}
  const isOwn = given.seed > 0 || start.drawn
  return {
    ...shape, arrays, dark, codes, start: start.start, at: alike.indexOf(start),
    live: {settings, layers, limits, digest: isOwn ? "" : digest, expected, modules,
      targets: shape.targets, clickable: shape.clickable,
      lexicon: {...lexicon, ...start.lexicon}, tables: tablesOf(file, start, given)},
  }
}

const tickers = new WeakMap() // of an axis: its own, that for named ticks, and their names

// The regret charts have a log axis, whose ticks are named, or Bokeh's ticks: `Ticks` of render/figures.py.
function arrangeTicks({figures, live: {targets}}, log) {
  const {FixedTicker} = Bokeh.require("models/tickers/fixed_ticker")
  for (const chart of ["simple", "cumulative"]) {
    const axis = figures.get_model_by_id(targets[`${chart}.y_axis`])
    if (!tickers.has(axis)) { tickers.set(axis, {own: axis.ticker, fixed: new FixedTicker({ticks: []}), names: new Map()}) }
    const kept = tickers.get(axis)
    const ticker = log ? kept.fixed : kept.own
    targets[`${chart}.y_ticks`] = ticker.id
    if (axis.ticker === ticker) { continue }
    if (!log) { kept.names = axis.major_label_overrides }
    // A label that is taken back is kept by Bokeh's script: each says its own value.
    const values = [...kept.names.keys()].map((at) => [at, String(Number(at.toPrecision(6)))])
    axis.setv({ticker, major_label_overrides: log ? kept.names : new Map(values)})
  }
}

// What a layer needs beside what the engine draws: a place for the plane and for bounds, tabs over a map, and ticks.
function arrange(page, {plane, draws, featured, log, bounds, truth}, show) {
  const {parts, live: {targets, lexicon}} = page
  const {screen, tabs, planeView} = targets
  arrangeTicks(page, log)
  const {classList} = parts.components[screen].host
  page.hidesSums ??= classList.contains("lab-no-cumulative")
  classList.toggle("lab-no-cumulative", page.hidesSums && !bounds)
  classList.toggle("lab-sums", bounds && (truth || !lexicon.asking?.reveal))
  classList.toggle("lab-three", plane)
  if (planeView !== undefined) { parts.set(planeView, "visible", plane) }
  if (tabs !== undefined) {
    parts.components[tabs].model.send_msg = (at) => show({featured: at ? "" : "map"})
    parts.set(tabs, "tabs", draws ? lexicon.large : [])
    parts.set(tabs, "chosen", draws && !featured ? 1 : 0)
  }
}

// Fields for the seed of the noise and the heights of a drawn curve, with their help texts.
function fieldsOf({start, texts, given, change, drawing, element}) {
  const note = (name) => element("p", {class: "note"}, texts[name])
  const field = (name, attributes) => {
    const input = element("input", attributes)
    return [element("label", {}, texts[name], input), input]
  }
  const nodes = []
  if (start.drawn) {
    const [label, input] = field("live.draw.heights", {type: "text", value: given.heights.join(" ")})
    const button = element("button", {type: "button"})
    const tell = () => {
      button.setAttribute("aria-pressed", drawing.on)
      button.textContent = texts[drawing.on ? "live.draw.stop" : "live.draw"]
    }
    tell()
    input.addEventListener("change", () => {
      const heights = heightsOf(input.value)
      if (heights) { change({heights}) } else { input.value = given.heights.join(" ") }
    })
    drawing.show = () => { input.value = given.heights.join(" ") }
    button.addEventListener("click", () => {
      drawing.on = !drawing.on
      tell()
    })
    nodes.push(button, label, note("live.draw.how"))
  }
  if (start.random.length > 1) {
    const most = start.random.length - 1
    const [label, input] = field("live.seed", {type: "number", min: 0, max: most, value: given.seed})
    input.addEventListener("change", () => {
      const seed = Math.min(Math.max(Math.round(Number(input.value)), 0), most)
      input.value = seed
      change({seed})
    })
    nodes.push(label, note("live.seed.how"))
  }
  return nodes
}

// Has a curve drawn over the figure of the function, while `drawing` is on. Its axes stay until `release`: a
// curve that was scaled anew at each move would run away from the pointer.
function listenForDrawing(figure, onDrag, drawing, given, {change, release}) {
  let last = null
  const place = (x) => {
    const {start, end} = figure.x_range
    return Math.min(Math.max((x - start) / (end - start), 0), 1) * (KNOTS - 1)
  }
  const draw = ({x, y}) => {
    if (!drawing.on || !Number.isFinite(y)) { return }
    const at = Math.round(place(x))
    const heights = given.heights.length === KNOTS ? [...given.heights]
      : curveThrough(given.heights, Array.from({length: KNOTS}, (_, i) => i))
    const from = last ?? {at, y}
    for (let i = Math.min(from.at, at); i <= Math.max(from.at, at); i++) {
      const share = at === from.at ? 1 : (i - from.at) / (at - from.at)
      heights[i] = from.y + share * (y - from.y)
    }
    last = {at, y}
    change({heights: heights.map((one) => Number(one.toPrecision(3)))}, true)
    drawing.show()
  }
  const end = () => {
    last = null
    release()
  }
  onDrag(figure, {start: draw, move: draw, end})
}

// What is not in this file, and the command that has it.
const leftOut = ({left}, element) => [element("dl", {}, ...left.flatMap(([what, command]) => (
  [element("dt", {}, what), element("dd", {}, element("code", {}, command))])))]

function menuOf(starts) {
  const menu = document.createElement("select")
  menu.setAttribute("aria-label", "Lesson or function")
  for (const name of new Set(starts.map(({group}) => group))) {
    const group = document.createElement("optgroup")
    group.label = name
    group.append(...starts.filter((one) => one.group === name).map((one) => new Option(one.title, one.name)))
    menu.append(group)
  }
  return menu
}

// Opens a start on the page; `given` is what of its problem can be chosen, `draws` whether a curve is to be
// drawn. Until its run is drawn nothing of another one is in sight.
async function openStart(file, start, given, draws, place, page) {
  page.live?.end() // what it wrote late would be read as the state of this start
  place.classList.add("opening")
  document.querySelector("header .run").textContent = ""
  const {texts} = {...file.lexicon, ...start.lexicon}
  const drawing = {on: draws, show: () => {}}
  const recording = recordingOf(file, start, given)
  const load = loaderOf(file.modules)
  const [{createAtlas}, {element}] = [await load("atlas.js"), await load("controls.js")]
  const change = (one, inDrag) => {
    Object.assign(given, one)
    atlas.clear()
    page.live.problem(tablesOf(file, start, given), inDrag)
  }
  const atlas = createAtlas({
    modules: file.modules, tables: file.atlas, texts, palette: file.lexicon.palettes.cividis,
    live: () => ({...recording.live, tables: tablesOf(file, start, given)}),
    randoms: () => (start.drawn ? [{}] : start.random.slice(0, 3).map((random) => Object.fromEntries(
      Object.entries(random).map(([name, number]) => [name, file.tables[number]])))),
    choose: (settings) => page.live.change(settings),
  })
  const address = () => [`start=${start.name}`, ...given.seed ? [`seed=${given.seed}`] : [],
    ...start.drawn ? [`heights=${given.heights}`] : [], ""].join("&")
  const more = {
    groups: {function: fieldsOf({start, texts, given, change, drawing, element}), atlas: [atlas.node], left: leftOut(file, element)},
    follow: atlas.follow,
    share: (code) => `${window.location.href.split("#")[0]}#${code}`,
    open: (code) => { window.location.hash = code.replace(/^.*#/, "") },
  }
  const shown = () => place.classList.remove("opening")
  page.close?.()
  Object.assign(page, await openPage(
    {...recording, more, arrange, address, shown, isDrawing: () => drawing.on}, place, true))
  page.present.follow(page, recording.live.targets, start.title)
  if (!page.live) { shown() }
  const [id] = recording.live.clickable
  if (start.drawn) {
    const {onDrag} = await load("moving.js")
    listenForDrawing(page.figures.get_model_by_id(id), onDrag, drawing, given, {change, release: page.live.release})
  }
}

async function playPlayground(file, place, page) {
  const {starts} = file
  let [start, given] = [null, null]
  const menu = menuOf(starts)
  document.querySelector("header .run").before(menu)
  page.present = createPresent(file.presenting)
  menu.addEventListener("change", () => { window.location.hash = `start=${menu.value}` })
  const follow = async (hash) => {
    // The page that was being opened may have written its own state over what was asked for.
    if (window.location.hash !== hash) { window.history.replaceState(null, "", hash) }
    const asked = new URLSearchParams(window.location.hash.slice(1))
    const wanted = startOf(starts, asked.get("start"), start)
    const own = asked.has("start") || !given
    const now = own ? {
      seed: Math.min(Math.max(Math.round(Number(asked.get("seed"))) || 0, 0), wanted.random.length - 1),
      heights: heightsOf(asked.get("heights")) ?? heightsOf(HEIGHTS),
    } : given
    const same = wanted === start && JSON.stringify(now) === JSON.stringify(given)
    ;[start, given] = [wanted, same ? given : now]
    menu.value = start.name
    if (same) { page.open() } else {
      await openStart(file, start, given, start.drawn && !asked.has("heights"), place, page)
    }
  }
  // One after the other: a page that is half built cannot be closed.
  let opened = follow(window.location.hash)
  window.addEventListener("hashchange", ({newURL}) => {
    opened = opened.then(() => follow(new URL(newURL).hash))
  })
  await opened
}
