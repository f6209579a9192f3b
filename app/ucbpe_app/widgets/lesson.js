// The card of a lesson. Words are set as text, maths as MathML. A click on a link asks for its moment
// in place; with a key of the browser's own, such as Ctrl, it opens the address as any link does. In a
// file there is nobody to ask: all links are addresses there.

const ICONS = {before: "M15 6l-6 6 6 6", after: "M9 6l6 6-6 6"}

function iconButton(name) {
  const button = element("button", {"type": "button", "class": `icon ${name}`})
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
  return button
}

function build() {
  const parts = {
    ...questionParts(),
    title: element("h2"), place: element("button", {"type": "button", "class": "place", "aria-haspopup": "dialog", "title": "All lessons"}),
    setting: element("span", {class: "setting"}),
    before: iconButton("before"), after: iconButton("after"),
    reset: element("button", {type: "button", class: "reset"}, "Reset"),
    caption: element("div", {class: "caption"}),
    note: element("div", {class: "note", hidden: ""}),
  }
  parts.changed = element("p", {class: "changed"}, "Settings changed. ", parts.reset)
  const moves = element("div", {class: "moves"}, parts.before, parts.place, parts.after)
  parts.header = element("header", {}, moves, parts.title, parts.setting, parts.changed)
  parts.root = element("section", {"class": "card", "aria-label": "Lesson"}, parts.header, parts.caption, parts.asked, parts.note)
  return parts
}

// Words of a caption: text, bold or not, maths, and links numbered over the whole caption.
function drawCaption(caption, paragraphs) {
  let number = 0
  const draw = ({words, href, bold, mathml, mark}) => {
    if (mark) {
      return element("span", {"class": "term", "role": "term", "tabindex": 0, "data-mark": mark}, words)
    }
    if (href !== undefined) { return element("a", {href, "data-link": number++}, words) }
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

function drawStep(button, text, title) {
  button.disabled = title === ""
  button.title = `${text}: ${title}`
  button.setAttribute("aria-label", `${text}: ${title}`)
}

export function render({model}) {
  const parts = build()
  const questions = createQuestions(model, parts)
  const shelves = createShelves(model)
  let [opened, anew] = [0, false] // at which event; whether another lesson is to be drawn
  const drawLesson = () => {
    parts.title.textContent = model.title
    parts.header.hidden = !model.title
    parts.place.textContent = model.place
    parts.place.disabled = !model.shelves.length
    for (const one of [parts.before, parts.after]) { one.hidden = !model.before && !model.after }
    drawStep(parts.before, "Previous lesson", model.before)
    drawStep(parts.after, "Next lesson", model.after)
    drawCaption(parts.caption, model.paragraphs)
    drawHere(parts.caption, model.here)
    opened = model.index
    questions.load()
  }
  const drawSetting = () => { parts.setting.textContent = model.setting ?? "" }
  const drawChanged = () => { parts.root.classList.toggle("other", model.changed) }
  const step = () => {
    questions.step()
    const [at, {at: before = 0} = {}] = [model.index + 1, readProgress()[model.slug]]
    if (model.slug && !model.changed && model.index !== opened && at > before && model.last >= 0) {
      noteProgress(model.slug, {at: Math.min(at, model.last + 1), of: model.last + 1})
    }
  }
  const draw = once(() => {
    if (anew) { drawLesson() }
    anew = false
    step()
  })
  // Of a place that was asked for, the first answer counts.
  const onShare = ({detail: {key, event, share}}) => {
    const before = readProgress()[key]?.shares ?? {}
    if (key === model.slug && !(event in before)) { noteProgress(key, {shares: {...before, [event]: share}}) }
  }
  // What is asked in the picture, and how it went, over the question; the picture tells it if this is not seen.
  const onNote = ({detail}) => {
    parts.note.replaceChildren(element("b", {}, detail.text), element("p", {}, detail.more))
    parts.note.hidden = !detail.text
    detail.isSeen = parts.note.checkVisibility({checkVisibilityCSS: true}) // a page without a lesson hides it
  }
  parts.caption.addEventListener("click", (event) => {
    const link = event.target.closest("a")
    if (!model.send_msg || !link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) { return }
    event.preventDefault()
    model.send_msg({link: Number(link.dataset.link)})
  })
  parts.before.addEventListener("click", () => model.send_msg({step: -1}))
  parts.after.addEventListener("click", () => model.send_msg({step: 1}))
  parts.reset.addEventListener("click", () => model.send_msg({reset: true}))
  parts.place.addEventListener("click", shelves.open)
  const heard = {"lab:shelves": shelves.open, "lab:share": onShare, "lab:note": onNote}
  for (const [name, react] of Object.entries(heard)) { window.addEventListener(name, react) }
  model.on(["title", "paragraphs", "questions", "place", "before", "after", "shelves"], () => { anew = true; draw() })
  model.on(["index", "last"], draw)
  model.on("here", () => drawHere(parts.caption, model.here))
  model.on("setting", drawSetting)
  model.on("changed", drawChanged)
  model.on("after_render", () => { drawLesson(); drawSetting(); drawChanged() })
  model.on("remove", () => {
    for (const [name, react] of Object.entries(heard)) { window.removeEventListener(name, react) }
  })
  parts.root.append(shelves.root)
  return parts.root
}
