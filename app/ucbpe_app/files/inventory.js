const end = document.getElementById("end")

function open() {
  const hash = window.location.hash === "#after" ? "#after" : "#before"
  for (const form of document.forms) { form.hidden = `#${form.name}` !== hash }
  for (const link of document.querySelectorAll("nav a")) {
    link.setAttribute("aria-current", link.hash === hash ? "page" : "false")
  }
  end.replaceChildren()
}

// Shows the reasons, after the second form only: the first has the same questions with other numbers.
function mark(form) {
  for (const {nextElementSibling} of form.querySelectorAll("input:checked, [value=right]")) {
    nextElementSibling.lastElementChild.hidden = false
  }
  return `${form.querySelectorAll("[value=right]:checked").length} of 12 are right; the reasons stand at the choices. `
}

function finish(event) {
  event.preventDefault()
  const form = event.target, given = new FormData(form)
  const rows = [...form.querySelectorAll("fieldset")].map(({name}) =>
    [given.get("code"), given.get("group"), form.name, name, given.get(name)])
  const lines = [["code", "group", "form", "question", "answer"], ...rows].map((row) => `${row.join()}\r\n`)
  const file = document.createElement("a")
  file.href = URL.createObjectURL(new Blob(lines, {type: "text/csv"}))
  file.download = file.textContent = `inventory-${form.name}-${given.get("code")}.csv`
  for (const control of form.elements) { control.disabled = true }
  end.replaceChildren(form.name === "after" ? mark(form) : "", "Your answers are in the file ", file, ".")
  file.click()
  end.focus()
}

window.addEventListener("hashchange", open)
document.addEventListener("submit", finish)
open()
