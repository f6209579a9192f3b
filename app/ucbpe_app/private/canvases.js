// What Bokeh does for every canvas, and is done otherwise here.
//
// - The Tab key stops at it, so that a column of pictures can be scrolled by keys: it is given a name.
// - For each colour, width and font that it paints, it asks the browser for a style `--bk-..` that
//   might replace the model's own. Only models with a style sheet of their own have one here.
// - It writes the style sheet that places a label each time, changed or not, and the browser then
//   works out the styles anew.

function setUpCanvases() {
  const {CanvasView} = Bokeh.require("models/canvas/canvas")
  const {VisualProperties} = Bokeh.require("core/visuals/visual")
  const {InlineStyleSheet} = Bokeh.require("core/dom")
  const [canvas, visual, sheet] = [CanvasView, VisualProperties, InlineStyleSheet].map((one) => one.prototype)
  if (canvas.isSetUp) { return }
  canvas.isSetUp = true

  const name = ({events_el, parent}) => {
    const {html_attributes = {}, title, left = []} = parent?.model ?? {}
    const {"aria-label": own} = Object.fromEntries(
      html_attributes instanceof Map ? html_attributes : Object.entries(html_attributes))
    const words = own || title?.text || left.map((axis) => axis.axis_label).find(Boolean)
    events_el.setAttribute("role", "img")
    events_el.setAttribute("aria-label", words ? `Picture: ${words}` : "Picture")
  }
  const {initialize} = canvas, {_get_css_value: ask} = visual, {_update: write} = sheet
  canvas.initialize = function() {
    initialize.call(this)
    name(this)
  }
  for (const view of Bokeh.index.query((one) => one instanceof CanvasView)) { name(view) }
  visual._get_css_value = function(name) {
    return this.obj.model.stylesheets?.length ? ask.call(this, name) : ""
  }
  sheet._update = function(css) {
    if (css !== this.css) { write.call(this, css) }
  }
}
