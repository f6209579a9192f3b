// A dialog with all that can be exported. The server makes a file and sends it in one message;
// the browser saves it as a download.

const ICON = "M12 4v11M7 11l5 5 5-5M5 20h14"
const COPIED_FOR = 2000 // ms

// Kinds of files: what the button says, and the section that it stands in.
const FILES = {
  picture: [["png", "PNG"], ["svg", "SVG"], ["gif", "Film (GIF)"]],
  run: [["json", "JSON"], ["csv", "CSV"]],
  lesson: [["html", "HTML lesson"], ["live", "Live lesson"]],
}

const MARKUP = `
  <button class="open in-bar folds" type="button" aria-haspopup="dialog"
    title="Export: pictures, a film, the run as a file, a lesson">
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICON}"/></svg>
    <span class="label">Export</span>
  </button>
  <dialog role="dialog" aria-labelledby="title">
    <header>
      <h2 id="title">Export</h2>
      <button class="close" type="button" aria-label="Close">
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>
      </button>
    </header>
    <div class="body">
    <section aria-labelledby="of-picture">
      <h3 id="of-picture">Picture of this event</h3>
      <label>Picture <select></select></label>
      <div class="files" data-of="picture"></div>
      <p>Print size, 17 cm wide; in SVG, text stays text. <span class="film"></span></p>
    </section>
    <section aria-labelledby="of-run">
      <h3 id="of-run">The run</h3>
      <div class="files" data-of="run"></div>
      <p>Every pick and measurement. <code>ucbpe_core.Trace.load</code> reads the JSON
        back as the same run; the CSV is for a spreadsheet.</p>
    </section>
    <section aria-labelledby="of-lesson">
      <h3 id="of-lesson">A lesson in one file</h3>
      <div class="files" data-of="lesson"></div>
      <p>Every event, to step through in any browser without a server or a network: for a course page.</p>
    </section>
    </div>
    <footer>
      <div class="progress" role="progressbar" aria-label="Making the file" aria-valuemin="0"
        aria-valuemax="100"></div>
      <p class="news" role="status"></p>
      <button class="stop" type="button" hidden>Cancel</button>
    </footer>
  </dialog>`

function build() {
  const root = document.createElement("div")
  root.innerHTML = MARKUP
  for (const place of root.querySelectorAll("[data-of]")) {
    for (const [kind, label] of FILES[place.dataset.of]) {
      const button = document.createElement("button")
      button.type = "button"
      button.dataset.kind = kind
      button.textContent = label
      place.append(button)
    }
  }
  const find = (selector) => root.querySelector(selector)
  return {root, find, dialog: find("dialog"), makers: [...root.querySelectorAll("[data-kind]")]}
}

// A link is the only way to name a download; the browser takes the bytes before it is let go.
function save({name, media, data}) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([data], {type: media}))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

function size(bytes) {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

export function render({model}) {
  const {root, find, dialog, makers} = build()
  const [choice, news, progress, stop] = ["select", ".news", ".progress", ".stop"].map(find)
  let stopping = false
  const say = (text) => { news.textContent = text }

  const drawViews = () => {
    const before = choice.value
    choice.replaceChildren(...model.views.map(({name, label}) => new Option(label, name)))
    if (model.views.some(({name}) => name === before)) { choice.value = before }
    const long = model.events > model.most
    find(".film").textContent = long
      ? `A film has at most ${model.most} pictures, and this run ${model.events} events.`
      : `A film has a picture for each of the ${model.events} events and takes a while to draw.`
    drawBusy()
  }
  const drawBusy = () => {
    const busy = model.share !== null
    for (const button of makers) {
      const unfit = button.dataset.kind === "gif" && model.events > model.most
      button.setAttribute("aria-disabled", busy || unfit)
    }
    progress.classList.toggle("busy", busy)
    progress.classList.toggle("waiting", model.share === 0)
    if (!busy && stopping) {
      stopping = false
      say("Cancelled.")
    }
    stop.hidden = !busy
    if (busy) {
      progress.setAttribute("aria-valuenow", Math.round(100 * model.share))
      progress.style.setProperty("--share", model.share)
    }
  }

  find(".open").addEventListener("click", () => {
    say("")
    dialog.showModal()
  })
  find(".close").addEventListener("click", () => dialog.close())
  // Outside it is the dialog's own element that is clicked, and inside one of its children.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) { dialog.close() } })
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { // for this dialog, and not for the page below it as well
      event.preventDefault()
      dialog.close()
    }
  })
  for (const button of makers) {
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "true") { return }
      say(`Making the ${button.textContent} file.`)
      model.send_msg({do: "make", kind: button.dataset.kind, view: choice.value})
    })
  }
  stop.addEventListener("click", () => {
    stopping = true
    say("Cancelling.")
    model.send_msg({do: "stop"})
    choice.focus()
  })
  model.on(["views", "events", "most"], drawViews)
  model.on("share", drawBusy)
  model.on("error", () => { if (model.error) { say(model.error) } })
  model.on("msg:custom", (file) => {
    save(file)
    say(`Saved ${file.name} (${size(file.data.byteLength)}).`)
  })
  model.on("after_render", drawViews)
  return root
}
