// Tells the cell around the stepper that the kernel has reached the page. The cell is beyond the
// shadow roots in which Bokeh draws.

export function render({model, el}) {
  model.on("msg:custom", () => {
    let outermost = el
    while (outermost.getRootNode() instanceof ShadowRoot) { outermost = outermost.getRootNode().host }
    outermost.closest(".ucbpe-cell")?.dispatchEvent(new Event("ucbpe:connected"))
  })
}
