// Plays a recorded run: lays the components out, and for an event sets what differs from the one
// on screen. All is in this file; a step asks for nothing and is done when its function returns.

const DARK = window.matchMedia("(prefers-color-scheme: dark)")
const BETWEEN_PAINTS = 17 // ms, the least time between two paints of Bokeh: an earlier request waits
const STEPPING = new Set(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"])
// The recording.

async function inflated(bytes) {
  if (!("DecompressionStream" in window)) { throw new Error("the browser has no DecompressionStream") }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

async function read(element) {
  const bytes = await inflated(bytesOf(element.textContent))
  const end = Number(element.dataset.text)
  const recording = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))
  return {...recording, arrays: unpack(recording.arrays, bytes.subarray(end))}
}

// `page.figures` are those on the page.
function offerThemes(page, pairs) {
  const button = document.getElementById("theme")
  const choose = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light"
    if (page.figures) { dress(page.figures, dark, pairs) }
    button.setAttribute("aria-pressed", dark)
  }
  button.addEventListener("click", () => {
    choose(document.documentElement.dataset.theme !== "dark")
    DARK.onchange = null
  })
  const {theme} = document.body.dataset // of a page around this one, as a notebook
  if (!theme) { DARK.onchange = () => choose(DARK.matches) }
  choose(theme ? theme === "dark" : DARK.matches)
}

// What stands beside the player in the file, as a notebook's script, follows it by these.
function announce(name, detail) {
  document.dispatchEvent(new CustomEvent(`lesson:${name}`, {detail}))
}

// The player.

function createPlayer({tracks, codes}, parts, figures, arrays) {
  const played = tracks.map(({target, values, which}) => ({
    which, current: -1, values: values.map((value) => decoded(value, arrays)), target,
  }))
  // The event of an index; `anew` after others have drawn.
  const show = (index, anew = false) => {
    const changes = new Map()
    for (const track of played) {
      if (anew) { track.current = -1 }
      const place = track.which[index]
      if (place === track.current) { continue }
      track.current = place
      const value = track.values[place]
      const {model, node, name, column} = track.target
      if (model === undefined) {
        parts.set(node, name, value)
        continue
      }
      if (!changes.has(model)) { changes.set(model, {}) }
      const change = changes.get(model)
      if (column === undefined) { change[name] = value } else {
        const {data} = figures.get_model_by_id(model)
        change.data ??= data instanceof Map ? Object.fromEntries(data) : {...data}
        change.data[column] = value
      }
    }
    for (const [id, change] of changes) { figures.get_model_by_id(id).setv(change) }
    announce("event", {code: codes[index]})
  }
  return {show, indexOf: (code) => codes.indexOf(code)}
}

// A key that is held must not run ahead of the pictures: a repeat counts once the last step has been
// drawn, so that no event is passed unseen. One that comes sooner waits, and letting go drops it, so
// that stepping is as fast as the browser and stops at once however slow that is.
function paceRepeats() {
  let [drawn, waiting] = [true, null]
  const again = () => {
    drawn = true
    const {key, shiftKey} = waiting ?? {}
    waiting = null
    const init = {key, shiftKey, repeat: true, bubbles: true, cancelable: true}
    if (key) { document.dispatchEvent(new KeyboardEvent("keydown", init)) }
  }
  window.addEventListener("keyup", () => { waiting = null }, true)
  window.addEventListener("blur", () => { waiting = null })
  window.addEventListener("keydown", (event) => {
    if (!STEPPING.has(event.key)) { return }
    if (drawn) {
      drawn = false
      setTimeout(() => requestAnimationFrame(() => setTimeout(again)), BETWEEN_PAINTS)
    } else if (event.repeat) {
      event.preventDefault()
      event.stopImmediatePropagation()
      waiting = event
    }
  }, true)
}

// What computes runs of other settings, where the page around this one allows it.
async function startedLive(page) {
  const {live: {modules, lexicon: {texts}}, root} = page
  try {
    const {startLive} = await loaderOf(modules)("client.js")
    return startLive(page)
  } catch {
    const refused = document.createElement("p")
    refused.textContent = texts["live.unchecked"].replace("{error}", texts["error.refused"])
    root.append(refused)
    return null
  }
}

// The page of a recording: figures, a player and, if it is live, an engine. `keepsAddress` if others
// read and write what comes after #.
async function openPage(recording, place, keepsAddress = false) {
  const fonts = loadFonts()
  const {figures, parts} = layOut(recording, place)
  const {arrays} = recording
  parts.set = (number, name, value) => SETTERS[name](parts.components[number], value)
  const player = createPlayer(recording, parts, figures, arrays)
  const asked = () => (keepsAddress ? -1 : player.indexOf(window.location.hash.slice(1)))
  let live = null
  const show = (index, shown) => {
    if (live) {
      live.step(index, shown)
    } else {
      player.show(index)
      shown()
    }
  }
  const wanted = asked()
  const start = wanted >= 0 ? wanted : recording.start
  const transport = parts.components.find(({kind}) => kind === "timeline")
  const {model} = transport
  model.index = start
  const card = parts.components.find(({kind}) => kind === "card")
  const tellCard = () => {
    card.model.index = model.index
    card.tell("index")
  }
  if (card) { model.on("index", tellCard) }
  // It answers at once.
  model.send_msg = ({index, request}) => {
    model.index = index
    show(index, () => {
      model._answered = request
      transport.tell("index", "_answered")
    })
  }
  const go = (index) => {
    model.index = index
    show(index, () => transport.tell("index"))
  }
  player.show(recording.at ?? start)
  transport.tell("index", "after_render")
  if (recording.live) {
    const {content: root} = parts.components[recording.live.targets.settings]
    live = await startedLive({...recording, figures, parts, transport, player, root, start, announce})
  }
  const open = () => {
    if (live) { live.follow() } else if (asked() >= 0) { go(asked()) }
  }
  for (const id of recording.batches) {
    const goTo = ({x}) => {
      const {starts} = model
      if (!Number.isFinite(x)) { return }
      model.jump = starts[Math.min(Math.max(Math.round(x), 1), starts.length) - 1]
      transport.tell("jump")
    }
    // A second click within 300 ms, wherever it is, is a "doubletap".
    for (const name of ["tap", "doubletap"]) { figures.get_model_by_id(id).on_event(name, goTo) }
  }
  await fonts
  const dark = document.documentElement.dataset.theme === "dark"
  dress(figures, dark, Object.entries(recording.dark))
  const remove = await draw({figures, parts}, place)
  const close = () => {
    live?.end()
    remove()
  }
  announce("ready", {go: (code) => go(player.indexOf(code))})
  return {figures, live, parts, open, close}
}

// A recorded run.
async function playLesson(recording, place, page) {
  Object.assign(page, await openPage(recording, place))
  window.addEventListener("hashchange", page.open)
}

async function begin(play) {
  paceRepeats()
  const place = document.getElementById("lesson")
  const page = {figures: null}
  try {
    const recording = await read(document.getElementById("recording"))
    offerThemes(page, Object.entries(recording.dark))
    await play(recording, place, page)
  } catch (error) {
    const note = document.createElement("p")
    note.setAttribute("role", "alert")
    note.textContent = `This lesson cannot be shown: ${error.message}. Open it in a browser of May 2023 or later.`
    place.replaceChildren(note)
    throw error
  }
}
