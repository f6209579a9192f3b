// All lessons on their shelves, over the page, with what was done of each: opened by the lesson's number.

const STATES = {done: "done", begun: "begun", none: "not begun"}

function fileParts(model) {
  const label = "Open a lesson file"
  const input = element("input", {"type": "file", "accept": ".toml,text/plain", "hidden": "", "aria-label": label})
  const button = element("button", {type: "button", class: "ask", title: `${label} from this computer (.toml)`}, label)
  // A button and not the input itself: it takes Enter and the space bar, and says only its name.
  button.addEventListener("click", () => input.click())
  const textOf = async (file) => {
    try {
      return new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer())
    } catch {
      return null // not UTF-8, or gone since it was chosen
    }
  }
  return {button, input, read: async () => {
    const [file] = input.files
    if (!file) { return }
    const text = file.size > model.largest ? null : await textOf(file)
    model.send_msg({file: {name: file.name, size: file.size, text}})
    input.value = "" // so that the same file, corrected, can be opened again
  }}
}

// How far a lesson was taken, and what is said of it at the end of its row.
function standing({slug}, all) {
  const {at = 0, of = 0, answers = {}, asked = 0, shares = {}} = all[slug] ?? {}
  if (!of) { return ["none", ""] }
  if (at < of) { return ["begun", `event ${at} of ${of}`] }
  const right = Object.values(answers).filter((one) => one === true).length
  const values = Object.values(shares)
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return ["done", values.length ? percentOf(mean) : asked ? `${right} of ${asked}` : ""]
}

function createShelves(model) {
  const shelves = element("div", {class: "shelves"})
  const forget = element("button", {type: "button", class: "quiet"}, "Forget it")
  const shut = element("button", {"type": "button", "class": "icon shut", "aria-label": "Close"}, "✕")
  const file = fileParts(model)
  const foot = element("footer", {},
    element("p", {}, "Progress is kept in this browser and sent to nobody. %: your places, of the way up."),
    forget, file.button, file.input)
  const root = element("dialog", {"class": "lessons", "aria-label": "Lessons"}, shut, shelves, foot)
  const rowOf = (lesson, numbered, all) => {
    const [state, remark] = standing(lesson, all)
    const here = lesson.number === model.number
    const name = [numbered ? `${lesson.place} ` : "", `${lesson.title}, ${STATES[state]}`, remark && `, ${remark}`]
    return element("button", {"type": "button", "class": `row ${state}`, "data-number": lesson.number,
      "aria-label": name.join(""), ...here ? {"aria-current": "page"} : {}},
    element("i", {}), ...numbered ? [element("span", {class: "at"}, lesson.place)] : [],
    element("span", {class: "name"}, lesson.title), element("span", {class: "remark"}, remark))
  }
  const shelfOf = ({title, note, numbered, lessons}, all) => {
    const done = lessons.filter((one) => standing(one, all)[0] === "done").length
    return element("section", {"aria-label": title}, element("h2", {}, title),
      element("p", {}, note, numbered ? ` ${done} of ${lessons.length} done.` : ""),
      ...lessons.map((one) => rowOf(one, numbered, all)))
  }
  const draw = () => {
    const all = readProgress()
    shelves.replaceChildren(...model.shelves.map((one) => shelfOf(one, all)))
  }
  const open = () => {
    draw()
    if (!root.open) { root.showModal() }
    shelves.querySelector("[aria-current]")?.focus()
  }
  shelves.addEventListener("click", ({target}) => {
    const row = target.closest(".row")
    if (!row) { return }
    root.close()
    model.send_msg({choose: Number(row.dataset.number)})
  })
  file.input.addEventListener("change", () => {
    root.close()
    file.read()
  })
  forget.addEventListener("click", () => {
    forgetProgress()
    draw()
  })
  shut.addEventListener("click", () => root.close())
  root.addEventListener("click", ({target}) => { if (target === root) { root.close() } })
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") { return }
    event.preventDefault() // it is not for what lies below, too
    root.close()
  })
  return {root, open}
}
