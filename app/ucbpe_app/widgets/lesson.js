// The card of a lesson. Words are set as text, maths as MathML. A click on a link asks for its moment
// in place; with a key of the browser's own, such as Ctrl, it opens the address as any link does.

const ICONS = {before: "M15 6l-6 6 6 6", after: "M9 6l6 6-6 6"}

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.append(...children)
  return node
}

function iconButton(name) {
  const button = element("button", {"type": "button", "class": `icon ${name}`})
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
  return button
}

function build() {
  const parts = {
    title: element("h2"), place: element("span", {class: "place"}),
    setting: element("span", {class: "setting"}),
    before: iconButton("before"), after: iconButton("after"),
    reset: element("button", {type: "button", class: "reset"}, "Reset"),
    caption: element("div", {class: "caption"}),
    question: element("p", {class: "question", id: "question"}),
    ask: element("button", {type: "button", class: "ask"}),
    choices: element("div", {"class": "choices", "role": "radiogroup", "aria-labelledby": "question"}),
    verdict: element("p", {"class": "verdict", "aria-live": "polite"}),
  }
  parts.changed = element("p", {class: "changed"}, "Settings changed. ", parts.reset)
  parts.answer = element("div", {class: "answer"}, parts.choices, parts.verdict)
  parts.asked = element("div", {class: "asked"}, parts.question, parts.ask, parts.answer)
  const moves = element("div", {class: "moves"}, parts.before, parts.place, parts.after)
  parts.root = element("section", {"class": "card", "aria-label": "Lesson"},
    element("header", {}, moves, parts.title, parts.setting, parts.changed), parts.caption, parts.asked)
  return parts
}

// Words of a caption: text, bold or not, maths, and links numbered over the whole caption.
function drawCaption(caption, paragraphs) {
  let number = 0
  const draw = ({words, query, bold, mathml, mark}) => {
    if (mark) {
      return element("span", {"class": "term", "role": "term", "tabindex": 0, "data-mark": mark}, words)
    }
    if (query !== undefined) {
      return element("a", {"href": `?${query}`, "data-link": number++}, words)
    }
    if (mathml) { return fragment(mathml) }
    return bold ? element("b", {}, words) : words
  }
  caption.replaceChildren(...paragraphs.flatMap((spans) => [element("p", {}, ...spans.map(draw)), " "]))
}

function drawHere(caption, here) {
  for (const link of caption.querySelectorAll("a")) {
    if (Number(link.dataset.link) === here) {
      link.setAttribute("aria-current", "step")
    } else {
      link.removeAttribute("aria-current")
    }
  }
}

// The question: its answers to choose from, which are marked at once, or the answer itself. It stays
// open while a person steps, to look for what it asks about.
function buildAnswer(model, {asked, ask, answer, choices, verdict}) {
  const say = (mark, words, ...more) => {
    verdict.className = `verdict ${mark}`
    verdict.replaceChildren(...words ? [element("b", {}, words)] : [], ...more)
  }
  const tell = () => { say("told", "", model.answer) }
  const mark = (right) => {
    if (right) { return say("right", "✓ Yes. ", model.answer) }
    const reveal = element("button", {type: "button", class: "reveal"}, "Show the answer")
    reveal.addEventListener("click", tell)
    say("wrong", "✗ No. ", "Try another, or ", reveal)
  }
  const open = (on) => {
    answer.hidden = !on
    ask.setAttribute("aria-expanded", on)
    if (on) { answer.scrollIntoView({block: "nearest"}) }
  }
  ask.addEventListener("click", () => open(answer.hidden))
  asked.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || answer.hidden) { return }
    event.preventDefault()
    open(false)
    ask.focus()
  })
  return () => {
    asked.hidden = model.question === ""
    asked.classList.toggle("chosen", model.choices.length > 0)
    ask.textContent = model.choices.length ? "Choose an answer" : "Show the answer"
    choices.replaceChildren(...model.choices.map((words, i) => {
      const radio = element("input", {type: "radio", name: "answer"})
      radio.addEventListener("change", () => mark(i === model.right))
      const letter = element("b", {"aria-hidden": "true"}, "ABCDEF"[i]) // to be named in a class
      return element("label", {}, radio, letter, element("span", {}, words))
    }))
    say("", "")
    if (!model.choices.length) { tell() }
    open(false)
  }
}

function drawStep(button, text, title) {
  button.disabled = title === ""
  button.title = `${text}: ${title}`
  button.setAttribute("aria-label", `${text}: ${title}`)
}

export function render({model}) {
  const parts = build()
  const drawAnswer = buildAnswer(model, parts)
  const drawLesson = () => {
    parts.title.textContent = model.title
    parts.place.textContent = model.place
    for (const one of [parts.before, parts.after]) { one.hidden = !model.before && !model.after }
    drawStep(parts.before, "Previous lesson", model.before)
    drawStep(parts.after, "Next lesson", model.after)
    drawCaption(parts.caption, model.paragraphs)
    parts.question.textContent = model.question
    drawAnswer()
    drawHere(parts.caption, model.here)
  }
  const drawSetting = () => { parts.setting.textContent = model.setting ?? "" }
  const drawChanged = () => { parts.root.classList.toggle("other", model.changed) }
  parts.caption.addEventListener("click", (event) => {
    const link = event.target.closest("a")
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) { return }
    event.preventDefault()
    model.send_msg({link: Number(link.dataset.link)})
  })
  parts.before.addEventListener("click", () => model.send_msg({step: -1}))
  parts.after.addEventListener("click", () => model.send_msg({step: 1}))
  parts.reset.addEventListener("click", () => model.send_msg({reset: true}))
  model.on(["title", "paragraphs", "question", "answer", "choices", "place", "before", "after"], drawLesson)
  model.on("here", () => drawHere(parts.caption, model.here))
  model.on("setting", drawSetting)
  model.on("changed", drawChanged)
  model.on("after_render", () => { drawLesson(); drawSetting(); drawChanged() })
  return parts.root
}
