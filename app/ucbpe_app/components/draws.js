// Moves draws of f: center + cos(a) cosine + sin(a) sine has the same law at every angle a.

const ROUND = 16000 // ms of a whole turn
const FRAME = 33 // ms between two frames at least
const PARTS = ["center", "cosine", "sine"]

// What the draws are at an angle.
function turned(columns, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [center, cosine, sine] = PARTS.map((name) => columns[name])
  const at = (row, kept) => {
    const [middle, one, other] = [center[row], cosine[row], sine[row]]
    const values = kept[row].slice()
    for (let i = 0; i < middle.length; i++) { values[i] = middle[i] + cos * one[i] + sin * other[i] }
    const {shape, dtype} = kept[row]
    return shape ? window.Bokeh.require("core/util/ndarray").ndarray(values, {shape, dtype}) : values
  }
  const name = ["ys", "image"].find((one) => columns[one])
  if (name) { return {[name]: columns[name].map((_, row) => at(row, columns[name]))} }
  return {value: Array.from(center, (one, i) => one + cos * cosine[i] + sin * sine[i])}
}

export function render({model, view}) {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)")
  const root = document.createElement("div")
  root.innerHTML = `<div role="group" aria-label="Large map"></div><button type="button"></button>`
  const [tabs, button] = root.children
  const [angles, own] = [{now: 0, last: 0}, new Set()]
  let frame = 0

  const source = () => view.model.document?.get_model_by_id(model.target)
  function draw() {
    const one = source()
    const data = one?.data instanceof Map ? Object.fromEntries(one.data) : one?.data
    if (!data?.center?.length) { return }
    const moved = {...data, ...turned(data, angles.now)}
    own.add(moved)
    one.setv({data: moved}, {sync: false})
    own.delete(moved)
  }
  function step(time) {
    frame = requestAnimationFrame(step)
    if (time - angles.last < FRAME || document.hidden) { return }
    // However long a frame took, a step stays small.
    angles.now += 2 * Math.PI * Math.min(time - angles.last, 4 * FRAME) / ROUND
    angles.last = time
    draw()
  }
  const say = () => {
    const [icon, text] = calm.matches ? ["↻", "Change"] : frame ? ["❚❚", "Pause"] : ["▶", "Move"]
    button.textContent = model.tabs.length ? icon : `${icon} ${text}`
    button.title = `${text} the draws`
    button.setAttribute("aria-label", button.title)
    button.hidden = !model.target
  }
  function stop() {
    cancelAnimationFrame(frame)
    frame = 0
  }
  button.addEventListener("click", () => {
    if (calm.matches) {
      stop()
      angles.now += Math.PI / 2
      draw()
    } else if (frame) { stop() } else { frame = requestAnimationFrame(step) }
    say()
  })
  tabs.addEventListener("click", ({target}) => {
    const at = [...tabs.children].indexOf(target)
    if (at >= 0) { model.send_msg(at) }
  })
  function show() {
    tabs.hidden = !model.tabs.length
    tabs.replaceChildren(...model.tabs.map((name, i) => {
      const tab = document.createElement("button")
      Object.assign(tab, {type: "button", textContent: name})
      tab.setAttribute("aria-pressed", String(i === model.chosen))
      return tab
    }))
    say()
  }
  // What the server draws begins at angle 0; a person is at another.
  let followed = null
  const follow = () => { if (angles.now && !own.has(followed.data)) { draw() } }
  function listen() {
    followed?.properties.data.change.disconnect(follow)
    followed = source()
    followed?.properties.data.change.connect(follow)
    say()
  }
  calm.addEventListener("change", () => { stop(); say() })
  model.on(["tabs", "chosen"], show)
  model.on("target", listen)
  model.on("after_render", listen)
  model.on("remove", stop)
  show()
  return root
}
