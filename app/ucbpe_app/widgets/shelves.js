// All lessons on their shelves, over the page, with what was done of each: opened by the lesson's number.

const STATES = {done: "done", begun: "begun", none: "not begun"}

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

// The text of a file, or null: it is too large, not UTF-8, or gone since it was chosen.
async function textOf(file, largest) {
  try {
    return file.size > largest ? null : new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer())
  } catch { return null }
}

function createShelves(model) {
  const shelves = element("div", {class: "shelves"})
  const forget = element("button", {type: "button", class: "quiet"}, "Forget it")
  const input = element("input", {type: "file", accept: ".toml,text/plain"})
  const foot = element("footer", {},
    element("p", {}, "Progress is kept in this browser and sent to nobody. %: your places, of the way up."),
    forget, element("label", {class: "ask", title: "Open a lesson file from this computer (.toml)"}, "Open a lesson file", input))
  const shut = element("button", {"class": "icon shut", "aria-label": "Close"}, "✕")
  const form = element("form", {method: "dialog"}, shut, shelves) // each of its buttons closes the dialog
  const root = element("dialog", {"class": "lessons", "aria-label": "Lessons"}, form, foot)
  const rowOf = (lesson, numbered, all) => {
    const [state, remark] = standing(lesson, all)
    const here = lesson.number === model.number
    const name = [numbered ? `${lesson.place} ` : "", `${lesson.title}, ${STATES[state]}`, remark && `, ${remark}`]
    return element("button", {"class": `row ${state}`, "value": lesson.number, "aria-label": name.join(""),
      ...here ? {"aria-current": "page"} : {}},
    ...numbered ? [element("span", {class: "at"}, lesson.place)] : [],
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
  form.addEventListener("submit", ({submitter}) => {
    if (submitter !== shut) { model.send_msg({choose: Number(submitter.value)}) }
  })
  input.addEventListener("change", async () => {
    const [file] = input.files
    root.close()
    model.send_msg({file: {name: file.name, size: file.size, text: await textOf(file, model.largest)}})
    input.value = "" // so that the same file, corrected, can be opened again
  })
  forget.addEventListener("click", () => {
    forgetProgress()
    draw()
  })
  root.addEventListener("click", ({target}) => { if (target === root) { root.close() } })
  root.addEventListener("keydown", (event) => event.stopPropagation()) // not for what lies below
  return {root, open}
}
