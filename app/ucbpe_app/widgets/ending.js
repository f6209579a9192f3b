// The last card of a lesson, in the place of the reason: what was found, what to remember and to try, and
// where to go on.

const SOON = 700 // ms: a key that is held must not pass the card unseen

// What the places that a person marked were worth.
function yours(slug) {
  const shares = Object.values(readProgress()[slug]?.shares ?? {}).map(percentOf)
  const last = shares.pop()
  return last ? `Yours: ${[shares.join(", "), last].filter((one) => one).join(" and ")} of the way up.` : ""
}

export function render({model}) {
  const parts = {
    found: element("h3"), how: element("p"), remember: element("dd", {class: "strong"}), attempt: element("dd"),
    next: element("button", {type: "button", class: "ask"}),
  }
  const all = element("button", {type: "button", class: "quiet"}, "All lessons")
  const root = element("section", {"class": "ending", "aria-label": "End of the lesson"},
    element("h2", {}, "What was found"), parts.found, parts.how,
    element("dl", {}, element("dt", {}, "Remember"), parts.remember, element("dt", {}, "Try"), parts.attempt),
    element("div", {class: "actions"}, parts.next, all))
  let since = 0
  const draw = () => {
    for (const [name, node] of Object.entries(parts)) { node.textContent = model[name] }
    parts.how.append(" ", yours(model.slug))
    all.hidden = !model.others
    since = performance.now()
  }
  const step = () => { if (performance.now() - since > SOON) { model.send_msg({step: 1}) } }
  parts.next.addEventListener("click", () => model.send_msg({step: 1}))
  all.addEventListener("click", () => window.dispatchEvent(new Event("lab:shelves")))
  window.addEventListener("lab:onwards", step) // Next of the player, see timeline.js
  model.on(["found", "how", "remember", "attempt", "next", "others", "slug", "visible"], draw)
  model.on("after_render", draw)
  model.on("remove", () => window.removeEventListener("lab:onwards", step))
  return root
}
