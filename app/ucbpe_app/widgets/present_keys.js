// The keys of a presented page, each a button as well: for a finger, and for who does not know them.

// The key that a button stands for, its sign, the text next to it, and its name.
const SHOWN = [["ArrowLeft", "←", "", "Previous event"], ["ArrowRight", "→", "step", "Next event"],
  ["f", "F", "true f", "Show or hide true f"], ["l", "L", "lengthscale", "Longer lengthscale"]]
const CLASS = [["o", "O", "class", "Open a class"]]
const ALWAYS = [["?", "?", "keys", "All keys"], ["Escape", "Esc", "end", "End presenting"]]
const ALL = [["← →", "one event; Shift: one batch; Home, End: first, last"], ["Space", "play"],
  ["F", "true f"], ["L, Shift+L", "longer, shorter lengthscale"], ["B, Shift+B", "wider, narrower band"],
  ["T", "text of the lesson"], ["R", "the other regret"], ["D", "decision plane"],
  ["C", "one candidate"], ["P", "predict"], ["S", "skip what is asked"],
  ["O", "open a class; then A, C, V, B, R: ask, close, vote again, board, class as a rule"], ["Esc", "end"]]

export function render({model}) {
  const root = document.createElement("div")
  root.className = "keys"
  const list = document.createElement("dl")
  list.hidden = true
  list.append(...ALL.filter(([key]) => !model.without.includes(key[0])).map(([key, what]) => {
    const pair = document.createElement("div")
    pair.innerHTML = "<dt></dt><dd></dd>"
    pair.firstChild.textContent = key
    pair.lastChild.textContent = what
    return pair
  }))
  const toggle = () => { list.hidden = !list.hidden }
  const buttonOf = ([key, sign, what, name]) => {
    const button = document.createElement("button")
    button.type = "button"
    button.setAttribute("aria-label", `${sign} ${what}${what && ": "}${name}`) // first what is seen
    button.innerHTML = "<kbd></kbd> <span></span>"
    button.firstChild.textContent = sign
    button.lastChild.textContent = what
    button.addEventListener("click", () => {
      button.blur() // which leaves the keys to the page
      document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))
    })
    return button
  }
  const draw = () => {
    const own = model.stage.length ? model.stage : [...SHOWN, ...model.classes ? CLASS : []]
    root.replaceChildren(...[...own, ...ALWAYS].map(buttonOf), list)
  }
  model.on("stage", draw)
  draw()
  document.addEventListener("keydown", (event) => {
    if (event.key === "?") { toggle() } else { list.hidden = true }
  })
  return root
}
