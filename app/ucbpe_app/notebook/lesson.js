// In a lesson's page: tells the page around it which event of the run is on screen, and goes to the
// one that is asked for there. `RUN` is the name of the run.

{
  const around = window.frameElement?.ownerDocument // none if the frame is kept apart
  let [shown, ready] = ["", false]
  const tell = (name) => around?.dispatchEvent(new CustomEvent(name, {detail: {run: RUN, event: shown}}))
  document.addEventListener("lesson:event", ({detail: {code, own}}) => {
    if (own === false) { return } // of a run with other settings
    shown = code
    if (ready) { tell("ucbpe:shown") }
  })
  document.addEventListener("lesson:ready", ({detail: {go}}) => {
    ready = true
    around?.addEventListener("ucbpe:go", ({detail: {run, event}}) => {
      if (run === RUN && event !== shown && window.frameElement?.isConnected) { go(event) }
    })
    tell("ucbpe:ready")
  })
}
