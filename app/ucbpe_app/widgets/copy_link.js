// Copies the address of what is on screen. The address bar shows the same link, so that it can be
// copied from there where a browser does not let a page write to the clipboard.

const SHOWN_DIGITS = 8
const ANSWER_WITHIN = 3000 // ms; a browser lets a page copy for some 5 s after a click
const SAID_FOR = {copied: 2000, refused: 8000} // ms
const LABEL = "Copy link"
const SAID = {copied: "Link copied", refused: "Copy it from the address bar"}
const ICON = "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.7 1.7M14 10a4 4 0 0 0-6-.4l-3 3" +
  "a4 4 0 0 0 5.7 5.7l1.7-1.7"

function build() {
  const root = document.createElement("div")
  root.className = "copy-link"
  root.innerHTML = `
    <span class="run"></span>
    <button class="in-bar" type="button" title="${LABEL}: the settings, this event and what is shown">
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICON}"/></svg>
      <span class="label" aria-live="polite">${LABEL}</span>
    </button>`
  const [run, button, label] = [".run", "button", ".label"].map((name) => root.querySelector(name))
  return {root, run, button, label}
}

export function render({model}) {
  const {root, run, button, label} = build()
  const draw = () => {
    run.textContent = model.digest ? `run ${model.digest.slice(0, SHOWN_DIGITS)}` : ""
    run.title = `Runs with the same picks and measurements have the same digest: ${model.digest}`
    run.dataset.digest = model.digest
  }
  let timer
  const say = (outcome) => {
    clearTimeout(timer)
    label.textContent = SAID[outcome]
    root.classList.add("said")
    timer = setTimeout(() => {
      label.textContent = LABEL
      root.classList.remove("said")
    }, SAID_FOR[outcome])
  }
  // A change made just before the click may be on its way to the server, and the link with it on its
  // way back. What is sent after it is answered after it.
  let request = model._answered
  let proceed = () => {}
  const upToDate = () => new Promise((done) => {
    proceed = done
    setTimeout(done, ANSWER_WITHIN)
    model.send_msg({request: ++request})
  })
  let copying = false // a second click meanwhile, as of a double click, asks for the same
  button.addEventListener("click", async () => {
    if (copying) { return }
    copying = true
    await upToDate()
    const {origin, pathname} = window.location
    const link = `${origin}${pathname}?${model.query}`
    putInAddress(queryOf(model.query, {present: window.ucbpePlace?.present}))
    const focused = document.activeElement
    say(await copy(link) ? "copied" : "refused")
    focused?.focus?.({preventScroll: true})
    copying = false
  })
  const forgetScreen = followScreen(model)
  model.on("digest", draw)
  model.on("_answered", () => proceed())
  model.on("after_render", draw)
  model.on("remove", () => {
    forgetScreen()
  })
  return root
}
