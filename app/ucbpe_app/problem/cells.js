// The trials of a run in order, a cell each by what its choice did; a press goes to one. The timeline
// does the same by keys, so that the cells are one image for who cannot see them.

export function render({model}) {
  const row = element("div", {className: "cells"})
  row.setAttribute("role", "img")
  const mark = () => {
    row.querySelector(".now")?.classList.remove("now")
    row.children[model.at]?.classList.add("now")
  }
  const draw = () => {
    row.setAttribute("aria-label", model.label)
    row.classList.toggle("many", model.kinds.length > 200)
    row.replaceChildren(...model.kinds.map((kind, i) => {
      const cell = element("i", {className: kind.replace(" ", "-"), title: model.titles[i] ?? ""})
      cell.addEventListener("click", () => model.send_msg({trial: i}))
      return cell
    }))
    mark()
  }
  follow(model, ["kinds", "titles", "label"], draw)
  model.on("at", mark)
  return row
}
