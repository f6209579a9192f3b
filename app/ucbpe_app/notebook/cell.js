// Decides what a cell shows: the stepper while a kernel answers it, else the run as a live lesson,
// which needs none. Where no script runs, the picture beside it is seen.

(() => {
  const PATIENCE = 8000 // ms for a kernel, which may be busy, to answer
  const LOOK_AGAIN = 300 // ms, in which a notebook's page says that it has a kernel
  const cell = document.currentScript.closest(".ucbpe-cell")
  const kept = cell.querySelector(".ucbpe-kept")
  const stepper = cell.firstElementChild === kept ? null : cell.firstElementChild
  const run = kept.querySelector(".ucbpe-run")
  // Another view of the same output has no answer of its own.
  const connected = (window.ucbpeConnected ??= new Set())
  let frame = null

  const kernelInReach = () => Boolean(window.PyViz?.kernels?.[stepper.id]
    || window.google?.colab?.kernel || window.Jupyter?.notebook?.kernel || window.comm_manager)

  async function page() {
    const packed = Uint8Array.from(atob(run.textContent), (letter) => letter.charCodeAt(0))
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))
    return new Response(stream).text()
  }

  async function showRun() {
    if (!run || frame || connected.has(stepper?.id)) { return }
    frame = document.createElement("iframe")
    frame.title = "Every event of the run, to step through"
    frame.srcdoc = await page()
    frame.className = "ucbpe-frame"
    kept.append(frame)
    cell.dataset.shows = "run"
  }

  function showStepper() {
    if (document.activeElement === frame && frame) {
      setTimeout(showStepper, LOOK_AGAIN) // nothing is taken away under somebody's hands
      return
    }
    frame?.remove()
    frame = null
    delete cell.dataset.shows
  }

  cell.addEventListener("ucbpe:connected", () => {
    connected.add(stepper.id)
    showStepper()
  })
  if (stepper === null) {
    showRun()
  } else {
    setTimeout(() => (kernelInReach() ? setTimeout(showRun, PATIENCE) : showRun()), LOOK_AGAIN)
  }
})()
