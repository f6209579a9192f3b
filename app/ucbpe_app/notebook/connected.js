// Asks the kernel for an answer, and tells the cell around the stepper when it has come. The cell is
// beyond the shadow roots in which Bokeh draws. A question that overtakes the opening of its channel
// is lost, and a kernel may be busy: it is asked again, ever more rarely.

const SOONEST = 1500, LATEST = 30_000 // ms between two questions

function outermost(node) {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? outermost(root.host) : node
}

export function render({model, el}) {
  let timer
  const ask = (pause) => {
    model.send_msg({})
    timer = setTimeout(ask, pause, Math.min(2 * pause, LATEST))
  }
  model.on("msg:custom", () => {
    clearTimeout(timer)
    outermost(el).closest(".ucbpe-cell")?.dispatchEvent(new Event("ucbpe:connected"))
  })
  model.on("after_render", () => ask(SOONEST))
  model.on("remove", () => clearTimeout(timer))
}
