// Asks the kernel for an answer, and tells the cell around the stepper when it has come, and of which
// event. The cell is beyond the shadow roots in which Bokeh draws. A question that overtakes the opening
// of its channel is lost, and a kernel may be busy: it is asked again, ever more rarely. Once it has
// answered, the cell has it asked after every action.

const SOONEST = 1500, LATEST = 30_000 // ms between two questions

function outermost(node) {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? outermost(root.host) : node
}

export function render({model, el}) {
  let timer
  let cell = null
  const question = () => model.send_msg({})
  const ask = (pause) => {
    question()
    timer = setTimeout(ask, pause, Math.min(2 * pause, LATEST))
  }
  model.on("msg:custom", (detail) => {
    clearTimeout(timer)
    cell?.dispatchEvent(new CustomEvent("ucbpe:connected", {detail}))
  })
  model.on("after_render", () => {
    cell = outermost(el).closest(".ucbpe-cell")
    cell?.addEventListener("ucbpe:ask", question)
    ask(SOONEST)
  })
  model.on("remove", () => {
    clearTimeout(timer)
    cell?.removeEventListener("ucbpe:ask", question)
  })
}
