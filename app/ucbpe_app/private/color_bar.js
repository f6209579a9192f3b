// A bug of Bokeh 3.9 mended, until tests/browser/test_present.py says that it is there no more.
//
// Title: *A ColorBar that changes before its first layout raises "Cannot set properties of undefined
// (setting 'dirty')".*
//
// `BaseColorBarView` gives its axis a parent whose `request_layout` sets `self.layout.dirty`, but
// `layout` is made by `update_layout`, with the first layout of the plot. Until then each change of the
// model, of its ticker or of its formatter raises, and what else comes with it is lost. It takes a
// figure that is added to a page, and a change before it is laid out, as from a timer or a theme.
// Remedy: let that `request_layout` pass over a bar without a layout, which will have one anyway.
const bar = window.Bokeh?.Models?.get("ColorBar")?.prototype.default_view.prototype
if (bar) { bar.layout = {has_size_changed: () => false} } // until the view has its own

