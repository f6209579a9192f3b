// The questions of a lesson, one after the other, each from its event on. An answer is marked at once,
// with a sentence of its own; the first one counts. A question stays open while a person steps, to look
// for what it asks about.

function questionParts() {
  const parts = {
    question: element("p", {class: "question", id: "question"}),
    ask: element("button", {type: "button", class: "ask"}),
    again: element("p", {class: "again"}),
    choices: element("div", {"class": "choices", "role": "group", "aria-labelledby": "question"}),
    value: element("input", {"type": "number", "step": "any", "required": "", "aria-labelledby": "question"}),
    verdict: element("p", {class: "verdict", role: "status"}),
    leave: element("button", {type: "button", class: "quiet", hidden: ""}, "Go on"),
  }
  parts.number = element("form", {class: "number"}, parts.value, element("button", {class: "ask"}, "Check"))
  parts.answer = element("div", {class: "answer", hidden: ""}, parts.again, parts.choices, parts.number, parts.verdict, parts.leave)
  parts.asked = element("div", {class: "asked"}, parts.question, parts.ask, parts.answer)
  return parts
}

// Returns what draws the questions of the lesson on screen, and what draws its event.
function createQuestions(model, parts) {
  const {asked, question, ask, answer, again, choices, number, value, verdict, leave} = parts
  let [given, solved, reached, at] = [{}, new Set(), -1, -1] // of questions by number
  let [slug, drawn] = [null, ""] // the lesson, and the question that is on the card
  const shown = () => model.questions[at]
  const open = (on) => {
    answer.hidden = !on
    ask.setAttribute("aria-expanded", on)
    if (on) { answer.scrollIntoView({block: "nearest"}) }
  }
  const label = () => {
    const first = shown().choices.length ? "Choose an answer" : "Write an answer"
    ask.textContent = solved.has(at) ? "✓ Answered" : at in given ? "Answer again" : first
  }
  const tell = (right, reason) => {
    given[at] ??= right
    if (right) { solved.add(at) }
    noteProgress(model.slug, {answers: given, asked: model.questions.length})
    verdict.className = `verdict ${right ? "right" : "wrong"}`
    verdict.replaceChildren(element("b", {}, right ? "✓ Yes. " : "✗ Not quite. "), right ? shown().answer : reason)
    leave.hidden = false
    label()
  }
  const rowOf = ({words, right, reason}, i) => {
    const letter = element("b", {"aria-hidden": "true"}, "ABCDEF"[i]) // to be named in a class
    const row = element("button", {"type": "button", "aria-pressed": false}, letter, element("span", {}, words))
    row.addEventListener("click", () => {
      for (const one of choices.children) {
        one.setAttribute("aria-pressed", one === row)
        one.className = one !== row ? "" : right ? "right" : "wrong"
      }
      tell(right, reason)
    })
    return row
  }
  const draw = () => {
    const offered = [...model.questions.keys()].filter((i) => model.questions[i].at <= reached)
    if (answer.hidden || slug !== model.slug) { at = offered.find((i) => !(i in given)) ?? offered.at(-1) ?? -1 }
    slug = model.slug
    asked.hidden = !shown()
    const {text, again: before, choices: some} = shown() ?? {}
    const name = `${slug} ${at} ${text}`
    if (name === drawn || !some) { return }
    drawn = name // which stays open when other settings are tried
    question.textContent = text
    again.textContent = before
    asked.classList.toggle("chosen", some.length > 0)
    choices.hidden = !some.length
    number.hidden = !choices.hidden
    choices.replaceChildren(...some.map(rowOf))
    value.value = ""
    value.removeAttribute("aria-invalid")
    verdict.replaceChildren()
    leave.hidden = true
    label()
    open(false)
  }
  number.addEventListener("submit", (event) => {
    event.preventDefault()
    const right = Math.abs(value.valueAsNumber - shown().number) <= shown().tolerance
    value.setAttribute("aria-invalid", !right)
    tell(right, shown().wrong)
  })
  const close = () => {
    open(false)
    draw()
    ask.focus()
  }
  ask.addEventListener("click", () => open(answer.hidden))
  leave.addEventListener("click", close)
  asked.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || answer.hidden) { return }
    event.preventDefault()
    close()
  })
  const step = () => {
    reached = Math.max(reached, model.index)
    draw()
  }
  const load = () => {
    if (slug !== model.slug) { reached = -1 }
    given = {...readProgress()[model.slug]?.answers}
    solved = new Set([...model.questions.keys()].filter((i) => given[i]))
    step()
  }
  return {load, step}
}
