// The column of a live lesson: settings, measurements of the reader's own, and the code to hand in.

import {createControls, element} from "./controls.js"

// `act`: change(settings, whether in a drag), release(), measure(point), undo(), reset(), open(code),
// uncover(): have the pictures in sight below an open column.
export function createPanel(live, root, act) {
  const status = element("p", {class: "said", role: "status"})
  const measured = element("p", {class: "note"})
  const code = element("input", {type: "text", "aria-label": "Code of this state",
    spellcheck: "false", autocomplete: "off"})
  const button = (text, call) => {
    const node = element("button", {type: "button"}, text)
    node.addEventListener("click", call)
    return node
  }
  const controls = createControls(live.settings, {...live.limits, ...live.lexicon}, act.change)
  for (const node of controls.nodes) { node.addEventListener("change", act.release) }
  const places = live.lexicon.inputs.map((name) => (
    element("input", {type: "number", step: "any", "aria-label": `Measure at ${name}`,
      "placeholder": name})))
  const measure = button("Measure", () => {
    if (places.every(({value}) => value !== "")) { act.measure(places.map(({value}) => Number(value))) }
  })
  const undo = button("Undo", act.undo)
  const reset = button("Reset to the lesson", act.reset)
  const copy = button("Copy", async () => {
    code.select()
    try { await navigator.clipboard.writeText(code.value) } catch { document.execCommand("copy") }
    copy.textContent = "Copied"
    setTimeout(() => { copy.textContent = "Copy" }, 1500)
  })
  code.addEventListener("change", () => act.open(code.value))
  const toggle = button("Settings", () => {
    const open = body.classList.toggle("open")
    toggle.setAttribute("aria-expanded", open)
    if (open) { act.uncover() }
  })
  toggle.className = "toggle"
  toggle.setAttribute("aria-expanded", "false")
  const own = element("fieldset", {}, element("legend", {}, "Measure yourself"), measured,
    element("div", {class: "row"}, ...places, measure, undo))
  const hand = element("fieldset", {}, element("legend", {}, "Code of this state"),
    element("div", {class: "row"}, code, copy))
  const body = element("div", {class: "body"}, ...controls.nodes, reset, own, hand,
    element("p", {class: "note"}, live.lexicon.computed))
  root.append(element("section", {"aria-label": "Settings"}, toggle, status, body))

  return {
    say: (text) => { if (status.textContent !== text) { status.textContent = text } },
    drag: controls.draw,
    draw: ({settings, own: indices}, text, isLesson) => {
      controls.draw(settings)
      if (root.activeElement !== code && code.getRootNode().activeElement !== code) { code.value = text }
      const n = indices.length
      measured.textContent = n ? `${n} added before batch 1.`
        : "Click on the function to measure there before batch 1."
      undo.disabled = n === 0
      measure.disabled = n >= live.limits.mostOwn
      reset.disabled = isLesson
    },
  }
}
