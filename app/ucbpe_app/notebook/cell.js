// Decides what a cell shows: the stepper while a kernel answers it, else the run as a live lesson,
// which needs none. Where no script runs, the picture beside it is seen.

(() => {
  const PATIENCE = 8000 // ms for a kernel, which may be busy, to answer at first
  const SILENCE = 5000 // ms for one that has answered before, after an action
  const LOOK_AGAIN = 300 // ms, in which a notebook's page says that it has a kernel
  const ACTIONS = ["click", "input", "keydown"]
  const EVENT = /^[1-9]\d*\.[a-z]+(\.\d+)?$/
  const cell = document.currentScript.closest(".ucbpe-cell")
  const kept = cell.querySelector(".ucbpe-kept")
  const lost = kept.querySelector(".ucbpe-lost")
  const stepper = cell.firstElementChild === kept ? null : cell.firstElementChild
  const run = kept.querySelector(".ucbpe-run")
  // Another view of the same output has no answer of its own.
  const connected = (window.ucbpeConnected ??= new Set())
  let frame = null
  let drawn = "" // the event that the kernel drew last
  let waiting = 0
  let listed = false // whether the notebook's page lists the kernel

  const isListed = () => Boolean(window.PyViz?.kernels?.[stepper.id])
  const kernelInReach = () => isListed()
    || Boolean(window.google?.colab?.kernel || window.Jupyter?.notebook?.kernel || window.comm_manager)

  async function page() {
    const packed = Uint8Array.from(atob(run.textContent), (letter) => letter.charCodeAt(0))
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))
    const html = await new Response(stream).text()
    return drawn ? html.replace("<body>", `<body data-event="${drawn}">`) : html
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
    lost.hidden = true
  }

  // What a kernel that has answered before no longer draws must not look as if it did.
  function lose() {
    waiting = 0
    connected.delete(stepper.id)
    lost.hidden = false
    showRun()
  }

  function ask() {
    if (waiting || !connected.has(stepper.id)) { return }
    waiting = setTimeout(lose, SILENCE)
    cell.dispatchEvent(new Event("ucbpe:ask"))
  }

  // A page that lists its kernels no longer does once the kernel is restarted or dead.
  function watch() {
    if (!cell.isConnected) { return }
    listed ||= isListed()
    if (listed && !isListed() && connected.has(stepper.id)) {
      clearTimeout(waiting)
      lose()
    } else {
      setTimeout(watch, LOOK_AGAIN)
    }
  }

  cell.addEventListener("ucbpe:connected", ({detail}) => {
    clearTimeout(waiting)
    waiting = 0
    if (EVENT.test(detail?.event)) { drawn = detail.event }
    connected.add(stepper.id)
    showStepper()
  })
  if (stepper === null) {
    showRun()
  } else {
    setTimeout(() => (kernelInReach() ? setTimeout(showRun, PATIENCE) : showRun()), LOOK_AGAIN)
    for (const action of ACTIONS) { stepper.addEventListener(action, ask) }
    setTimeout(watch, LOOK_AGAIN)
  }
})()
