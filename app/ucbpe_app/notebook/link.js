// Joins the lessons of a run, wherever they are on this page, with the run in Python: an anywidget
// without anything to see. Which event is on screen is all that they share.

export default {
  initialize({model}) {
    const of = (call) => ({detail}) => { if (detail.run === model.get("run")) { call(detail.event) } }
    const go = () => document.dispatchEvent(new CustomEvent("ucbpe:go", {
      detail: {run: model.get("run"), event: model.get("event")},
    }))
    const show = of((event) => {
      if (event === model.get("event")) { return }
      model.set("event", event)
      model.save_changes()
    })
    const ready = of(go)
    document.addEventListener("ucbpe:shown", show)
    document.addEventListener("ucbpe:ready", ready)
    model.on("change:event", go)
    go()
    return () => {
      document.removeEventListener("ucbpe:shown", show)
      document.removeEventListener("ucbpe:ready", ready)
    }
  },
}
