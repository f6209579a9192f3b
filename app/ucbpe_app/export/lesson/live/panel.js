// The column of a live lesson: settings, measurements of the reader's own, and the code to hand in.

import {createControls, element} from "./controls.js"
import {say} from "./words.js"

// `act`: change(settings, whether in a drag), release(), measure(point), undo(), reset(), open(code),
// uncover(): have the pictures in sight below an open column.
export function createPanel(live, root, act) {
  const told = (name, facts) => say(live.lexicon.texts, `live.${name}`, facts)
  const status = element("p", {class: "said", role: "status"})
  const measured = element("p", {class: "note"})
  const code = element("input", {type: "text", "aria-label": told("code"),
    spellcheck: "false", autocomplete: "off"})
  const button = (text, call) => {
    const node = element("button", {type: "button"}, text)
    node.addEventListener("click", call)
    return node
  }
  const controls = createControls(live.settings, {...live.limits, ...live.lexicon}, act.change)
  for (const node of controls.nodes) { node.addEventListener("change", act.release) }
  const places = live.lexicon.inputs.map((name) => (
    element("input", {type: "number", step: "any", "placeholder": name,
      "aria-label": told("measure.at", {input: name})})))
  const measure = button(told("measure"), () => {
    if (places.every(({value}) => value !== "")) { act.measure(places.map(({value}) => Number(value))) }
  })
  const undo = button(told("undo"), act.undo)
  const reset = button(told("reset"), act.reset)
  const copy = button(told("copy"), async () => {
    code.select()
    try { await navigator.clipboard.writeText(code.value) } catch { document.execCommand("copy") }
    copy.textContent = told("copied")
    setTimeout(() => { copy.textContent = told("copy") }, 1500)
  })
  code.addEventListener("change", () => act.open(code.value))
  const toggle = button(told("settings"), () => {
    const open = body.classList.toggle("open")
    toggle.setAttribute("aria-expanded", open)
    if (open) { act.uncover() }
  })
  toggle.className = "toggle"
  toggle.setAttribute("aria-expanded", "false")
  const own = element("fieldset", {}, element("legend", {}, told("own")), measured,
    element("div", {class: "row"}, ...places, measure, undo))
  const hand = element("fieldset", {}, element("legend", {}, told("code")),
    element("div", {class: "row"}, code, copy))
  const body = element("div", {class: "body"}, ...controls.nodes, reset, own, hand,
    element("p", {class: "note"}, told("note")))
  root.append(element("section", {"aria-label": told("settings")}, toggle, status, body))

  return {
    say: (text) => { if (status.textContent !== text) { status.textContent = text } },
    drag: controls.draw,
    draw: ({settings, own: indices}, text, isLesson) => {
      controls.draw(settings)
      if (root.activeElement !== code && code.getRootNode().activeElement !== code) { code.value = text }
      const n = indices.length
      measured.textContent = n ? told("own.some", {n}) : told("own.none")
      undo.disabled = n === 0
      measure.disabled = n >= live.limits.mostOwn
      reset.disabled = isLesson
    },
  }
}
