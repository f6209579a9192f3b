// The column of a live lesson: settings, measurements of the reader's own, and the code to hand in.

import {copy as copied} from "./clipboard.js"
import {createControls, element} from "./controls.js"
import {number, say} from "./words.js"

// `act`: change(settings, whether in a drag), release(), measure(point), undo(), reset(), open(code),
// uncover(): have the pictures in sight below an open column; show(layers); race(whether the run is
// to stay behind). `more` is what a playground adds: nodes by the names of its groups, and share(code).
export function createPanel(live, root, act, more = null) {
  const message = (name, facts) => say(live.lexicon.texts, `live.${name}`, facts)
  const status = element("p", {class: "said", role: "status"})
  const measured = element("p", {class: "note"})
  const code = element("input", {type: "text", "aria-label": message("code"),
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
      "aria-label": message("measure.at", {input: name})})))
  const measure = button(message("measure"), () => {
    if (places.every(({value}) => value !== "")) { act.measure(places.map(({value}) => Number(value))) }
  })
  const undo = button(message("undo"), act.undo)
  const reset = button(message(more ? "reset.start" : "reset"), act.reset)
  const [before, after] = [message(more ? "copy.link" : "copy"), message("copied")]
  const copy = button(before, async () => {
    const text = more ? more.share(code.value) : code.value
    const done = await copied(text)
    if (more) { window.history.replaceState(null, "", text) }
    if (!done) { code.select() }
    copy.textContent = done ? after : message(more ? "copy.bar" : "copy.code")
    setTimeout(() => { copy.textContent = before }, done ? 1500 : 8000)
  })
  code.addEventListener("change", () => (more?.open ?? act.open)(code.value))
  const toggle = button(message("settings"), () => {
    const open = body.classList.toggle("open")
    toggle.setAttribute("aria-expanded", open)
    if (open) { act.uncover() }
  })
  toggle.className = "toggle"
  toggle.setAttribute("aria-expanded", "false")
  const own = element("fieldset", {}, element("legend", {}, message("own")), measured,
    element("div", {class: "row"}, ...places, measure, undo))
  const hand = element("fieldset", {}, element("legend", {}, message("code")),
    element("div", {class: "row"}, code, copy))
  const shown = createShown(live, message, act)
  const race = createRace(message, act)
  const {always = [], ...folded} = live.limits.groups ?? {}
  const named = (names) => names.flatMap((name) => controls.named.filter(([one]) => one === name)).map(([, node]) => node)
  const groups = {...more?.groups, show: [shown.node], race: [race.node], own: [own], share: [hand]}
  const body = element("div", {class: "body"}, ...more ? [...grouped(named, folded, groups, message), reset]
    : [...controls.nodes, reset, own, hand, element("p", {class: "note"}, message("note"))])
  root.append(element("section", {"aria-label": message("settings")}, toggle, status,
    ...more ? [element("div", {class: "always"}, ...named(always))] : [], body))

  return {
    say: (text) => { if (status.textContent !== text) { status.textContent = text } },
    drag: controls.draw,
    race: race.say,
    draw: ({settings, own: indices, layers, against}, text, isLesson) => {
      controls.draw(settings)
      shown.draw(layers)
      race.draw(against)
      more?.follow(settings)
      if (root.activeElement !== code && code.getRootNode().activeElement !== code) { code.value = text }
      const n = indices.length
      measured.textContent = n ? message("own.some", {n}) : message("own.none")
      undo.disabled = n === 0
      measure.disabled = n >= live.limits.mostOwn
      reset.disabled = isLesson
    },
  }
}

// What can be shown: a box for each layer.
function createShown({limits: {shown = []}}, message, act) {
  const boxes = shown.map((name) => {
    const box = element("input", {type: "checkbox"})
    // Bounds are of a regret, which needs f, and so far above it that an axis of both is of logarithms.
    const others = name === "bounds" ? {truth: true, log: true} : {}
    box.addEventListener("change", () => act.show({...box.checked ? others : {}, [name]: box.checked}))
    return [name, box]
  })
  return {
    node: element("div", {}, ...boxes.map(([name, box]) => (
      element("label", {class: "box"}, box, message(`show.${name}`))))),
    draw: (layers) => { for (const [name, box] of boxes) { box.checked = layers[name] ?? false } },
  }
}

// A run that stays behind, with the same noise, and who is ahead at the end.
function createRace(message, act) {
  const button = element("button", {type: "button"})
  const said = element("p", {class: "note", role: "status"})
  let on = false
  button.addEventListener("click", () => act.race(!on))
  return {
    node: element("div", {class: "group"}, element("p", {class: "note"}, message("race.how")), button, said),
    say: (behind, last) => {
      const facts = behind && {own: number(last), other: number(behind.regrets.running.at(-1))}
      said.textContent = behind ? message("race.end", facts) : ""
    },
    draw: (against) => {
      on = against !== null
      button.textContent = message(on ? "race.stop" : "race.start")
    },
  }
}

// Controls under the headings of their groups; the first group is open and has no heading.
function grouped(named, groups, others, message) {
  return Object.entries(groups).flatMap(([group, names], i) => {
    const nodes = [...named(names), ...others[group] ?? []]
    if (!i || !nodes.length) { return nodes }
    const body = element("div", {class: "group"}, ...nodes)
    return [element("details", {}, element("summary", {}, message(`group.${group}`)), body)]
  })
}
