// A bar, counts and words. Texts are replaced in place: a live region must stay to be read.

export function render({model}) {
  const root = document.createElement("div")
  root.className = "progress"
  root.innerHTML = `
    <p><span role="status"></span> <span class="detail"></span></p>
    <div class="bar" role="progressbar" aria-label="Runs done" aria-valuemin="0"><span></span></div>
    <ul></ul>`
  const [status, detail, bar, filled, list] =
    ["[role=status]", ".detail", ".bar", ".bar span", "ul"].map((name) => root.querySelector(name))

  const draw = () => {
    status.textContent = model.status
    detail.textContent = model.detail
    const done = model.counts.reduce((sum, [, count]) => sum + count, 0)
    const total = model.replicates * model.counts.length
    bar.setAttribute("aria-valuemax", total)
    bar.setAttribute("aria-valuenow", done)
    filled.style.width = `${100 * done / Math.max(total, 1)}%`
    list.replaceChildren(...model.counts.map(([policy, count]) => {
      const item = document.createElement("li")
      const number = document.createElement("b")
      number.textContent = count
      item.append(`${policy} `, number, ` of ${model.replicates}`)
      return item
    }))
  }
  for (const name of ["status", "detail", "counts", "replicates"]) { model.on(name, draw) }
  draw()
  return root
}
