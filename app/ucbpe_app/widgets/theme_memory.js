// Remembers in this browser whether the page is light or dark. Until somebody has chosen by the
// page's toggle, it is as the system is. A cookie tells the server, so that a page comes in the
// right colours and does not flash.

const NAME = "ucbpe-theme"
const SYSTEM = window.matchMedia("(prefers-color-scheme: dark)")
const YEAR = 365 * 24 * 3600 // s

// Where storage is denied, the theme is as the system's with every page.
function chosen() {
  try { return localStorage.getItem(NAME) } catch { return null }
}

function choose(theme) {
  try { localStorage.setItem(NAME, theme) } catch { /* as above */ }
}

function tellServer(dark) {
  const value = `${NAME}=${dark ? "dark" : "light"}`
  const {pathname} = window.location
  try {
    document.cookie = `${value}; path=${pathname}; max-age=${YEAR}; SameSite=Lax`
  } catch { /* a frame may have no cookies */ }
}

export function render({model}) {
  const asked = new URLSearchParams(window.location.search).has("theme")
  let [page, ours] = [null, false]
  const show = (dark) => {
    tellServer(dark)
    if (page.dark_theme === dark) { return }
    ours = true
    page.dark_theme = dark
    ours = false
  }
  const follow = () => { if (!asked) { show(chosen() ? chosen() === "dark" : SYSTEM.matches) } }
  const onChange = () => {
    if (ours) { return }
    choose(page.dark_theme ? "dark" : "light")
    tellServer(page.dark_theme)
  }
  model.on("after_render", () => {
    const session = model.model?.document ?? window.Bokeh?.documents?.[0]
    page ??= session?.roots().find(({data}) => data?.attributes.theme_toggle)?.data
    if (!page) { return }
    page.properties.dark_theme.change.connect(onChange)
    SYSTEM.addEventListener("change", follow)
    follow()
  })
  model.on("remove", () => {
    page?.properties.dark_theme.change.disconnect(onChange)
    SYSTEM.removeEventListener("change", follow)
  })
  return document.createElement("div")
}
