// The settings column beside the pictures: open or closed, as it was left in this browser. The style
// sheets of the page read the two properties that are set here.

const NAME = "ucbpe-settings"
const OPEN = {"--lab-drawer": "flex", "--lab-drawer-width": "280px"}

// Where storage is denied, the column is closed with every page.
function wasOpen() {
  try { return localStorage.getItem(NAME) === "open" } catch { return false }
}

function remember(open) {
  try { localStorage.setItem(NAME, open ? "open" : "closed") } catch { /* as above */ }
}

export function render({model}) {
  const button = document.createElement("button")
  button.type = "button"
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16"/></svg>
    <span>Settings</span>`
  const style = document.documentElement.style
  let open = wasOpen()
  const draw = () => {
    button.setAttribute("aria-expanded", open)
    for (const [name, value] of Object.entries(OPEN)) {
      if (open) { style.setProperty(name, value) } else { style.removeProperty(name) }
    }
  }
  button.addEventListener("click", () => {
    open = !open
    remember(open)
    draw()
  })
  model.on("after_render", draw)
  return button
}
