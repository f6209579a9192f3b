// An exercise in a lesson's file: guesses of the next picks, clicked in its pictures, and a question.
// The player says which event is on screen, and whether of the lesson's own run (`lesson:event`),
// and, once, that all is there, with what is asked (`lesson:ready`); this asks it to go to others. `createRecord` and
// `createPictures` are of guesses.js, `connectCourse` of scorm.js.

// The bar, below the pictures. While it is in use it has the place of the lesson's words.

function found(root, selector) {
  const here = root.querySelector(selector)
  if (here) { return here }
  for (const node of root.querySelectorAll("*")) {
    const deeper = node.shadowRoot && found(node.shadowRoot, selector)
    if (deeper) { return deeper }
  }
  return null
}

function buildBar() {
  const host = document.createElement("div")
  const root = host.attachShadow({mode: "open"})
  root.append(document.getElementById("exercise-style").content.cloneNode(true))
  const bar = document.createElement("section")
  bar.className = "game idle"
  bar.setAttribute("aria-label", "Exercise")
  bar.innerHTML = `
    <div class="words">
      <div aria-live="polite"><p class="verdict"></p><p class="prompt"></p></div>
      <div class="input" hidden>
        <label for="guess">Candidate</label>
        <input id="guess" type="number" min="0" step="1" inputmode="numeric" autocomplete="off">
      </div>
      <fieldset hidden><legend></legend></fieldset>
    </div>
    <div class="side">
      <button type="button" class="go"></button>
      <button type="button" class="pause">Pause</button>
      <p class="score"></p>
      <p class="course" role="note"></p>
    </div>`
  root.append(bar)
  const names = [".verdict", ".prompt", ".input", "#guess", "label", "fieldset", "legend", ".go",
    ".pause", ".score", ".course"]
  const [verdict, prompt, input, line, label, choices, legend, go, pause, score, course] =
    names.map((name) => bar.querySelector(name))
  return {host, bar, verdict, prompt, input, line, label, choices, legend, go, pause, score, course}
}

function setText(node, text) {
  if (node.textContent !== text) { node.textContent = text }
}

function offerChoices({choices, legend}, question, onChoose) {
  choices.replaceChildren(legend)
  legend.textContent = question.text
  question.choices.forEach((words, i) => {
    const label = document.createElement("label")
    const button = document.createElement("input")
    Object.assign(button, {type: "radio", name: "answer", value: String(i)})
    button.addEventListener("change", () => onChoose(i))
    label.append(button, words)
    choices.append(label)
  })
}

// Words.

// As ucbpe_app.run.sentences.texts has it: what is rounding beside the axis is 0.
function coordinateOf(axis, i) {
  const [low, high] = axis.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)],
    [Infinity, -Infinity])
  const size = Math.abs(axis[i])
  if (size <= 1e-9 * (high - low)) { return "0" }
  const away = high > low ? Math.max(Math.round(Math.log10(size / (high - low))), 0) : 0
  return String(Number(axis[i].toPrecision(3 + away)))
}

function promptOf({rounds, question, places}, i, guess) {
  const many = `${i + 1} of ${rounds.length + (question ? 1 : 0)}. `
  if (i >= rounds.length) { return question.choices ? many : `${many}${question.text}` }
  const {label, role, rule} = rounds[i]
  if (guess === null) {
    return `${many}Where is ${label}, the next ${role}? Its rule: ${rule}. ` +
      "Click in the pictures, or enter the number of a candidate."
  }
  const at = places.map((axis) => coordinateOf(axis, guess)).join(", ")
  return `${many}Your guess for ${label}: candidate ${guess}` +
    `${places.length > 1 ? ` at (${at})` : places.length ? ` at ${at}` : ""}.`
}

// The points of an answer, and what is to be said of it.
function verdictOf(round, guess) {
  const {ranks, size, label, place, name, best, extreme, within, outside, pick} = round
  const points = `${inWords(pointsOf(round, guess))} of 1 point.`
  if (guess === pick) { return [points, `Exact: ${label} is at ${place}, ${name} ${best}.`] }
  const there = `${label} is at ${place}: ${name} ${best}, the ${extreme}${within}.`
  if (ranks[guess] === 0) { return [points, `Your point is ${outside}. ${there}`] }
  return [points, `By ${name}, your point is number ${ranks[guess]} of ${size}. ${there}`]
}

function verdictOfAnswer(question, answer) {
  const {choices, right, number, why} = question
  const good = pointsOfAnswer(question, answer)
  const instead = choices ? `No: ${choices[right]}` : `No: it is ${number}`
  return [`${good} of 1 point.`, `${good ? "Right" : instead}. ${why}`]
}

// The exercise: idle until it is begun, then each round is asked and shown, then done.

function runExercise(data, {go, codes, figures}) {
  const record = createRecord(data), course = connectCourse(), parts = buildBar()
  const {rounds, question} = data
  let [mode, guess, code, own] = ["idle", null, null, true]
  const anew = Boolean(course.state) && !record.restore(course.state)
  if (record.done) { mode = "done" }

  const pictures = createPictures(data, figures, (candidate) => choose(candidate))
  const column = found(document, ".lab-pictures")?.shadowRoot ?? document.getElementById("lesson")
  const lesson = found(document, ".lab-lesson")?.shadowRoot ?? column
  const caption = [...lesson.children].find((one) => one.classList.contains("html"))
  // Above the pictures, which have the height of the window: below them it would be out of sight.
  column.prepend(parts.host)
  if (column.host) {
    column.host.style.setProperty("overflow", "hidden auto")
    column.host.tabIndex = 0 // to be scrolled by keys
    column.host.setAttribute("role", "region")
    column.host.setAttribute("aria-label", "Pictures")
  }
  if (question?.choices) { offerChoices(parts, question, (i) => choose(i)) }

  const asking = () => mode === "ask" && record.next < rounds.length
  function choose(candidate) {
    if (mode !== "ask" || !own) { return }
    guess = candidate
    if (asking()) { pictures.draw(guess) }
    draw()
  }
  function ask() {
    mode = record.done ? "done" : "ask"
    guess = null
    const round = rounds[record.next]
    pictures.place(mode === "ask" && round, false)
    pictures.draw(null)
    if (mode === "ask" && round) { go(round.before) }
    parts.line.value = ""
    parts.choices.querySelectorAll("input").forEach((one) => { one.checked = false })
    draw()
  }
  function answer() {
    const i = record.next, round = rounds[i]
    record.answers.push(guess)
    mode = "shown"
    course.answer({
      id: round ? `pick-${round.event}` : "question", points: record.points(i),
      type: round || !question.choices ? "numeric" : "choice",
      response: round || !question.choices ? guess : "abcdef"[guess],
    })
    course.save({text: record.text, score: record.percent, done: record.done})
    if (round) {
      pictures.place(round, true)
      pictures.draw(guess)
      go(round.event)
    }
    draw()
  }
  function onward() {
    if (mode === "idle" || mode === "shown") { return ask() }
    if (mode === "ask" && guess !== null && own) { answer() }
  }
  function pause() {
    mode = "idle"
    pictures.place(null)
    pictures.draw(null)
    draw()
    parts.go.focus()
  }

  function words() {
    const last = record.next - 1
    if (mode === "idle") {
      const what = [
        rounds.length ? `predict ${rounds.length} ${rounds.length > 1 ? "picks" : "pick"}` : "",
        question ? "answer a question" : "",
      ].filter(Boolean).join(" and ")
      return ["", `${anew ? "The lesson has changed since your answers: the exercise starts again. " : ""}` +
        `Exercise: ${what}.`]
    }
    if (mode === "done") {
      return [`Exercise: ${inWords(record.sum)} of ${record.total} ${record.total > 1 ? "points" : "point"}, ` +
        `${Math.round(record.percent)} %.`, ""]
    }
    if (mode === "ask") {
      return ["", own ? promptOf(data, record.next, guess)
        : "The settings are not those of the lesson: reset them to go on."]
    }
    return last < rounds.length ? verdictOf(rounds[last], record.answers[last])
      : verdictOfAnswer(question, record.answers[last])
  }
  function draw() {
    const [verdict, prompt] = words()
    const i = record.next, asked = mode === "ask" && own
    parts.bar.className = `game ${mode}`
    setText(parts.verdict, verdict)
    setText(parts.prompt, prompt)
    parts.input.hidden = !asked || (i >= rounds.length && Boolean(question?.choices))
    parts.line.step = i < rounds.length ? "1" : "any"
    parts.line.min = i < rounds.length ? "0" : ""
    setText(parts.label, i < rounds.length ? "Candidate" : "Answer")
    parts.choices.hidden = !asked || i < rounds.length || !question?.choices
    if (asked && i < rounds.length && guess !== null && parts.line.value !== String(guess)) {
      parts.line.value = String(guess)
    }
    const labels = {idle: i ? "Go on" : "Begin", ask: "Answer", shown: record.done ? "Score" : "Next"}
    parts.go.hidden = mode === "done"
    setText(parts.go, labels[mode] ?? "")
    // Not `disabled`: a button that becomes so while it has the focus would lose it.
    parts.go.setAttribute("aria-disabled", mode === "ask" && (guess === null || !own))
    parts.pause.hidden = mode === "idle" || mode === "done"
    setText(parts.score, i && mode !== "done"
      ? `${inWords(record.sum)} of ${i} ${i > 1 ? "points" : "point"} so far.` : "")
    drawCourse()
    if (caption) { caption.style.display = mode === "ask" || mode === "shown" ? "none" : "" }
  }
  function drawCourse() {
    const {present, read, problem} = course
    const failed = present && Boolean(problem)
    parts.course.classList.toggle("failed", failed)
    setText(parts.course, failed ? `The course system has not accepted the score: ${problem}`
      : read ? "Shown for review: nothing is reported."
        : present && record.next ? "Reported to the course." : "")
  }

  parts.go.addEventListener("click", onward)
  parts.pause.addEventListener("click", pause)
  parts.line.addEventListener("input", () => {
    const value = parts.line.value === "" ? NaN : Number(parts.line.value)
    const fits = record.next < rounds.length ? Number.isInteger(value) && value >= 0 && value < data.size
      : Number.isFinite(value)
    choose(fits ? value : null)
  })
  parts.line.addEventListener("keydown", ({key}) => { if (key === "Enter") { onward() } })
  // What is asked must not be looked up: the pick is shown when it was guessed.
  document.addEventListener("lesson:event", ({detail}) => {
    ({code, own = true} = detail)
    if (asking() && own && codes.indexOf(code) >= codes.indexOf(rounds[record.next].event)) {
      go(rounds[record.next].before)
      if (guess === null) { setText(parts.verdict, "Guess first.") }
      return
    }
    if (mode === "shown" && record.next <= rounds.length &&
      code !== rounds[record.next - 1]?.event) { pictures.draw(null) }
    if (mode === "ask") { draw() }
  })
  // Where a click would add a measurement, or leave one out, it is a guess as long as one is asked for.
  document.addEventListener("lesson:measure", (event) => { if (asking()) { event.preventDefault() } })
  draw()
}

document.addEventListener("lesson:ready", ({detail}) => runExercise(detail.given, detail))
