// What the page does when the server cannot be reached: it says so, shows its pictures in grey, takes
// no clicks and keys, because nothing would answer, and reloads once the server is back.
//
// Bokeh can resume a session, but then misses what both sides have sent in the meantime (and of the
// new document the arrays); after a restart there is no session. The address has the moment.
//
// A connection can be lost silently: a laptop slept, its network changed, or the server hangs.
// And Bokeh says nothing of a loss once a page has asked whether it may be left, even if it was not.
// So the page asks for an answer: after a while without one, when it wakes, and when something is done.

const BEAT_EVERY = 15 // s on a page in sight
const ASKED_LATELY = 2000 // ms from one question to the next, however much is done
const ANSWER_WITHIN = 12 // s; a busy server may take a few
const SLEPT = 5000 // ms between two ticks that should be a second apart
const PROBE_EVERY = 1000 // ms, and up to as much more, so that a class does not come all at once
const PROBE_FOR = 10000 // ms
const SAID_FOR = 6000 // ms
const RETURNED = "ucbpe-reconnected"
const LOST = "Connection lost. Reconnecting… Nothing can be changed until then."
const STOPPING = "The server is being restarted. This page comes back to the same place by itself."
const BACK = "Connected again, at the same place as before."
const UNSAVED = "The server is back, but this browser keeps no copy of your experiment, or of results " +
  "that are typed and not recorded. Save it to a file first, then reload the page."
const BLOCKED = ["pointerdown", "mousedown", "touchstart", "click", "dblclick", "keydown", "input",
  "change"]
const FREE = /^(Tab|Shift|Control|Alt|Meta|F\d+)$/ // keys that the page has no use for

// Panel's own message, which offers no way to reconnect.
const NOT_PANELS = '[id^="reconnect-notification"] { display: none !important; }'

// If storage is denied, no message is shown after the page reloads.
function remembered(name) {
  try {
    const value = sessionStorage.getItem(name)
    sessionStorage.removeItem(name)
    return value
  } catch {
    return null
  }
}

function remember(name, value) {
  try { sessionStorage.setItem(name, value) } catch { /* as above */ }
}

function block(event) {
  const {ctrlKey, metaKey, altKey, key} = event
  if (event.type === "keydown" && (ctrlKey || metaKey || altKey || FREE.test(key))) { return }
  if (event.composedPath().some((node) => node.dataset?.offline !== undefined)) { return }
  event.preventDefault()
  event.stopImmediatePropagation()
}

// Whether the server answers. A file of its own costs it nothing, a page would cost it a session.
async function isBack() {
  const file = document.querySelector("script[src]")?.src ?? window.location.href
  try {
    const signal = AbortSignal.timeout(PROBE_FOR)
    return (await fetch(file, {method: "HEAD", cache: "no-store", signal})).ok
  } catch {
    return false
  }
}

// Asks the server for answers, and calls `onLost` if none comes; returns what ends that. Only seconds
// count in which the page is awake and in sight: in others nothing can arrive.
function askForAnswers(model, onLost) {
  let [asked, askedAt, waited, ticked] = [model.answered, 0, 0, Date.now()]
  let due = false
  const ask = () => {
    due = model.answered !== asked || Date.now() - askedAt < ASKED_LATELY
    if (due) { return } // soon
    asked += 1
    askedAt = Date.now()
    waited = 0
    model.send_msg({beat: asked})
  }
  const tick = () => {
    if (document.hidden) { return }
    const slept = Date.now() - ticked > SLEPT
    ticked = Date.now()
    if (due || slept || ticked - askedAt > BEAT_EVERY * 1000) { ask() }
    if (model.answered !== asked && !slept) { waited += 1 }
    if (waited > ANSWER_WITHIN) { onLost() }
  }
  const timer = setInterval(tick, 1000)
  const events = ["pointerdown", "keydown", "online"]
  for (const type of events) { window.addEventListener(type, ask, true) }
  model.on("answered", () => { waited = 0 })
  return () => {
    clearInterval(timer)
    for (const type of events) { window.removeEventListener(type, ask, true) }
  }
}

export function render({model}) {
  const root = document.createElement("div")
  root.dataset.offline = ""
  let [timer, lost, stopping] = [null, false, false]
  const say = (text, role) => {
    const note = document.createElement("p")
    note.textContent = text
    note.setAttribute(...role)
    root.replaceChildren(note)
  }
  const comeBack = async () => {
    if (!await isBack()) {
      timer = setTimeout(comeBack, PROBE_EVERY * (1 + Math.random()))
      return
    }
    const kept = [] // promises of whoever has something to keep: whether it is, or what to say of it
    window.dispatchEvent(new CustomEvent("ucbpe-return", {detail: kept}))
    const answers = await Promise.all(kept)
    if (answers.every(Boolean)) {
      remember(RETURNED, answers.find((one) => typeof one === "string") ?? BACK)
      window.location.reload()
    } else {
      say(UNSAVED, ["role", "alert"])
    }
  }
  const onLost = () => {
    if (lost) { return }
    lost = true
    stopAsking()
    say(stopping ? STOPPING : LOST, ["role", "alert"])
    const style = document.createElement("style")
    style.textContent = NOT_PANELS
    document.head.append(style)
    document.documentElement.style.setProperty("--lab-lost", "grayscale(1) opacity(0.35)")
    for (const type of BLOCKED) { window.addEventListener(type, block, true) }
    timer = setTimeout(comeBack, PROBE_EVERY * Math.random())
  }
  const session = model.model?.document ?? window.Bokeh?.documents?.[0]
  session?.on_event?.("connection_lost", onLost)
  session?.on_message?.("ucbpe-stopping", () => {
    stopping = true
    say(STOPPING, ["role", "alert"])
  })
  const stopAsking = askForAnswers(model, onLost)
  // A page that a browser kept while one was elsewhere has lost its connection: begin again.
  const restored = (event) => { if (event.persisted) { onLost() } }
  window.addEventListener("pageshow", restored)
  const back = remembered(RETURNED)
  if (back) {
    say(back, ["aria-live", "polite"]) // no second status on the page
    setTimeout(() => { if (!lost) { root.replaceChildren() } }, SAID_FOR)
  }
  model.on("remove", () => {
    clearTimeout(timer)
    stopAsking()
    window.removeEventListener("pageshow", restored)
    for (const type of BLOCKED) { window.removeEventListener(type, block, true) }
  })
  return root
}
