// What the page does when the server cannot be reached: it says so, shows its pictures in grey, takes
// no clicks and keys, which nobody would answer, and loads itself again once the server is back.
//
// Bokeh can resume a session, but then misses what both sides have said in the meantime (and of the
// new document the arrays); after a restart there is no session. The address has the moment.

const PROBE_EVERY = 1000 // ms, and up to as much more, so that a class does not come all at once
const SAID_FOR = 6000 // ms
const RETURNED = "ucbpe-reconnected"
const LOST = "Connection lost. Reconnecting… Nothing can be changed until then."
const STOPPING = "The server is being restarted. This page comes back to the same place by itself."
const BACK = "Connected again, at the same place as before."
const UNSAVED = "The server is back, but this browser keeps no copy of your experiment. Save it to a " +
  "file first, then reload the page."
const BLOCKED = ["pointerdown", "mousedown", "touchstart", "click", "dblclick", "keydown", "input",
  "change"]
const FREE = /^(Tab|Shift|Control|Alt|Meta|F\d+)$/ // keys that the page has no use for

// Panel's own message, which knows of no way back.
const NOT_PANELS = '[id^="reconnect-notification"] { display: none !important; }'

// Where storage is denied, nothing is said after the page has been loaded again.
function remembered(name) {
  try {
    const value = sessionStorage.getItem(name)
    sessionStorage.removeItem(name)
    return value
  } catch {
    return null
  }
}

function remember(name) {
  try { sessionStorage.setItem(name, "yes") } catch { /* as above */ }
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
    return (await fetch(file, {method: "HEAD", cache: "no-store"})).ok
  } catch {
    return false
  }
}

export function render({model}) {
  dropEchoes()
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
    const kept = [] // promises of whoever has something to keep: whether it is kept
    window.dispatchEvent(new CustomEvent("ucbpe-return", {detail: kept}))
    if ((await Promise.all(kept)).every(Boolean)) {
      remember(RETURNED)
      window.location.reload()
    } else {
      say(UNSAVED, ["role", "alert"])
    }
  }
  const onLost = () => {
    if (lost) { return }
    lost = true
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
  if (remembered(RETURNED)) {
    say(BACK, ["aria-live", "polite"]) // no second status on the page
    setTimeout(() => { if (!lost) { root.replaceChildren() } }, SAID_FOR)
  }
  model.on("remove", () => {
    clearTimeout(timer)
    for (const type of BLOCKED) { window.removeEventListener(type, block, true) }
  })
  return root
}
