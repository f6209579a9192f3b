// What Bokeh does for every canvas, and is done otherwise here.
//
// - The Tab key stops at it, so that a column of pictures can be scrolled by keys: it is given a name.
// - For each colour, width and font that it paints, it asks the browser for a style `--bk-..` that
//   might replace the model's own. Only models with a style sheet of their own have one here.
// - It moves the element of a glyph each time that it is painted, and looks for the markers in view.
//   Nothing is in that element; what is out of view is clipped, and to find it takes longer.
// - It keeps five glyphs for each renderer: what is selected, what is not, muted, while zooming.
//   The renderers of these pages have none of their own (`figures.pane`): all paint as the first.
// - It keeps an index of where each point is, which nobody may ask for before the next change.

function setUpCanvases() {
  const {CanvasView} = Bokeh.require("models/canvas/canvas")
  const {VisualProperties} = Bokeh.require("core/visuals/visual")
  const {MarkerView} = Bokeh.require("models/glyphs/marker")
  const {GlyphView} = Bokeh.require("models/glyphs/glyph")
  const {GlyphRendererView} = Bokeh.require("models/renderers/glyph_renderer")
  const {dict} = Bokeh.require("core/util/object")
  const [canvas, visual] = [CanvasView, VisualProperties].map((one) => one.prototype)
  if (canvas.isSetUp) { return }
  canvas.isSetUp = true

  const label = ({events_el, parent}) => {
    const {html_attributes = {}, title, left = []} = parent?.model ?? {}
    const words = dict(html_attributes).get("aria-label") || title?.text || left.map((axis) => axis.axis_label).find(Boolean)
    events_el.setAttribute("role", "img")
    events_el.setAttribute("aria-label", words ? `Picture: ${words}` : "Picture")
  }
  const {initialize} = canvas, {_get_css_value: ask} = visual
  canvas.initialize = function() {
    initialize.call(this)
    label(this)
  }
  for (const view of Bokeh.index.query((one) => one instanceof CanvasView)) { label(view) }
  visual._get_css_value = function(name) {
    return this.obj.model.stylesheets?.length ? ask.call(this, name) : ""
  }

  GlyphRendererView.prototype.update_position = function() {
    if (this.position.css === "") { this.position.replace(":host { display: none; }") }
  }

  MarkerView.prototype._mask_data = null

  const {index_data: find} = GlyphView.prototype
  const {get: found} = Object.getOwnPropertyDescriptor(GlyphView.prototype, "index")
  GlyphView.prototype.index_data = function() { this._index = null }
  Object.defineProperty(GlyphView.prototype, "index", {get() {
    if (this._index === null) { find.call(this) }
    return found.call(this)
  }})

  const nothing = () => {}
  const likeFirst = (view) => {
    if (view.model.nonselection_glyph !== null) { return }
    for (const name of ["decimated_glyph", "selection_glyph", "nonselection_glyph", "muted_glyph"]) {
      const paint = (...given) => view.glyph.paint(...given)
      Object.assign(view[name], {paint, set_data: nothing, set_visuals: nothing, map_data: nothing})
    }
  }
  const {lazy_initialize: build} = GlyphRendererView.prototype
  GlyphRendererView.prototype.lazy_initialize = async function() {
    await build.call(this)
    likeFirst(this)
  }
  for (const view of Bokeh.index.query((one) => one instanceof GlyphRendererView)) { likeFirst(view) }
}
