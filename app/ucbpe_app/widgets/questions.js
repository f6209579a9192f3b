// The questions of a lesson, one after the other, each from its event on. An answer is marked at once,
// with a sentence of its own; the first one counts. A question stays open while a person steps, to look
// for what it asks about.

const ARROWS = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}
const DIGITS = /^[-+]?\d*[.,]?\d+$/

function questionParts() {
  const parts = {
    question: element("p", {class: "question", id: "question"}),
    ask: element("button", {type: "button", class: "ask"}),
    again: element("p", {class: "again"}),
    choices: element("div", {"class": "choices", "role": "radiogroup", "aria-labelledby": "question"}),
    value: element("input", {"inputmode": "decimal", "autocomplete": "off", "aria-labelledby": "question"}),
    check: element("button", {class: "ask"}, "Check"),
    verdict: element("p", {class: "verdict", role: "status"}),
    retry: element("button", {type: "button", class: "ask"}, "Choose again"),
    leave: element("button", {type: "button", class: "quiet"}, "Go on"),
  }
  parts.number = element("form", {class: "number"}, parts.value, parts.check)
  parts.actions = element("div", {class: "actions"}, parts.retry, parts.leave)
  parts.answer = element("div", {class: "answer"}, parts.again, parts.choices, parts.number,
    parts.verdict, parts.actions)
  parts.asked = element("div", {class: "asked"}, parts.question, parts.ask, parts.answer)
  return parts
}

// Returns what draws the questions of the lesson on screen, and what draws its event.
function createQuestions(model, parts) {
  const {asked, question, ask, answer, again, choices, number, value, verdict, retry, leave, actions} = parts
  let [given, left, solved, reached, at] = [{}, new Set(), new Set(), -1, -1] // of questions by number
  let [slug, drawn] = [null, ""] // the lesson, and the question that is on the card
  const shown = () => model.questions[at]
  const open = (on) => {
    answer.hidden = !on
    ask.setAttribute("aria-expanded", on)
    if (on) { answer.scrollIntoView({block: "nearest"}) }
  }
  const current = () => {
    const offered = [...model.questions.keys()].filter((i) => model.questions[i].at <= reached)
    return offered.find((i) => !left.has(i)) ?? offered.at(-1) ?? -1
  }
  const label = () => {
    const first = shown().choices.length ? "Choose an answer" : "Write an answer"
    ask.textContent = solved.has(at) ? "✓ Answered" : at in given ? "Answer again" : first
  }
  const clear = () => {
    for (const one of choices.children) { one.className = "" }
    for (const one of choices.querySelectorAll("input")) { one.checked = false }
    value.removeAttribute("aria-invalid")
    verdict.replaceChildren()
    actions.hidden = true
  }
  const tell = (right, sentence) => {
    given[at] ??= right
    if (right) { solved.add(at) }
    noteProgress(model.slug, {answers: given, asked: model.questions.length})
    verdict.className = `verdict ${right ? "right" : "wrong"}`
    verdict.replaceChildren(element("b", {}, right ? "✓ Yes. " : "✗ Not quite. "), sentence)
    actions.hidden = false
    retry.hidden = right || !shown().choices.length
    label()
  }
  const rowOf = ({words, right, reason}, i) => {
    const input = element("input", {type: "radio", name: "answer"})
    const letter = element("b", {"aria-hidden": "true"}, "ABCDEF"[i]) // to be named in a class
    const row = element("label", {}, input, letter, element("span", {}, words))
    input.addEventListener("change", () => {
      clear()
      input.checked = true
      row.className = right ? "right" : "wrong"
      tell(right, right ? shown().answer : reason)
    })
    return row
  }
  const draw = () => {
    at = current()
    asked.hidden = at < 0
    const {text, again: before, choices: some} = shown() ?? {}
    const name = `${model.slug} ${at} ${text}`
    if (name === drawn || at < 0) { return }
    drawn = name // which stays open when other settings are tried
    question.textContent = text
    again.textContent = before
    asked.classList.toggle("chosen", some.length > 0)
    choices.hidden = !some.length
    number.hidden = !choices.hidden
    choices.replaceChildren(...some.map(rowOf))
    value.value = ""
    clear()
    label()
    open(false)
  }
  // An arrow looks at the next answer, without giving it: only the first one counts.
  choices.addEventListener("keydown", (event) => {
    const inputs = [...choices.querySelectorAll("input")]
    const from = inputs.indexOf(event.target)
    if (event.key in ARROWS) {
      inputs.at((from + ARROWS[event.key]) % inputs.length).focus()
    } else if (event.key === "Enter") { inputs[from].click() } else { return }
    event.preventDefault()
  })
  number.addEventListener("submit", (event) => {
    event.preventDefault()
    const text = value.value.trim().replace("−", "-")
    const is = Number(text.replace(",", "."))
    clear()
    if (!DIGITS.test(text)) {
      verdict.className = "verdict"
      return verdict.replaceChildren("Write a number, as 1.5.")
    }
    const {number: wanted, tolerance, answer: reason, wrong} = shown()
    const right = Math.abs(is - wanted) <= tolerance
    value.setAttribute("aria-invalid", !right)
    tell(right, right ? reason : wrong)
  })
  const close = () => {
    if (at in given) { left.add(at) }
    open(false)
    draw()
    ask.focus()
  }
  ask.addEventListener("click", () => open(answer.hidden))
  leave.addEventListener("click", close)
  retry.addEventListener("click", () => {
    clear()
    choices.querySelector("input").focus()
  })
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
    if (slug !== model.slug) { [slug, reached] = [model.slug, -1] }
    given = {...readProgress()[model.slug]?.answers}
    const answered = [...model.questions.keys()].filter((i) => i in given)
    left = new Set(answered)
    solved = new Set(answered.filter((i) => given[i]))
    step()
  }
  return {load, step}
}
