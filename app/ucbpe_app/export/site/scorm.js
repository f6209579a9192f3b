// Tells a course system the score, by the API of SCORM 1.2, where a page that holds this one has it.
// The model's names and limits are those of ADL, "SCORM Run-Time Environment, Version 1.2", 2001,
// section 3.4.

const MOST_LEVELS = 20 // of frames: course systems nest a few

function searched(from) {
  try {
    for (let page = from, level = 0; page && level < MOST_LEVELS; page = page.parent, level++) {
      if (typeof page.API?.LMSInitialize === "function") { return page.API }
      if (page.parent === page) { break }
    }
  } catch { /* a page of another origin does not let us look: no course system of ours */ }
  return null
}

function findApi() {
  const opener = (() => { try { return window.top.opener } catch { return null } })()
  return searched(window) ?? searched(window.opener) ?? searched(opener)
}

// Hours, minutes and seconds, as HHHH:MM:SS.SS.
function spanOf(ms) {
  const digits = (value, count) => String(Math.floor(value)).padStart(count, "0")
  const hundredths = Math.floor(ms / 10)
  const [seconds, hours] = [Math.floor(hundredths / 100), Math.floor(hundredths / 360_000)]
  return `${digits(hours, 4)}:${digits(seconds / 60 % 60, 2)}:${digits(seconds % 60, 2)}` +
    `.${digits(hundredths % 100, 2)}`
}

// Without a course system `present` is false and the others do nothing. `state` is the text that
// was saved last, empty at first.
function connectCourse() {
  const api = findApi()
  const none = {present: false, state: "", read: false, save: () => true, answer: () => true}
  if (!api) { return none }
  const began = performance.now()
  // Whatever becomes of the course system, the exercise goes on.
  const call = (name, ...given) => { try { return String(api[name](...given) ?? "") } catch { return "" } }
  const get = (name) => call("LMSGetValue", name)
  const set = (name, value) => call("LMSSetValue", name, String(value)) === "true"
  const problem = () => call("LMSGetErrorString", call("LMSGetLastError")) || "it gives no reason"
  if (call("LMSInitialize", "") !== "true") {
    return {...none, present: true, problem: problem(), save: () => false}
  }
  // Somebody who looks at what was done, or only around, changes nothing.
  const read = ["review", "browse"].includes(get("cmi.core.lesson_mode"))
  const state = get("cmi.suspend_data")
  if (!read && ["", "not attempted"].includes(get("cmi.core.lesson_status"))) {
    set("cmi.core.lesson_status", "incomplete")
  }
  let interactions = Number(get("cmi.interactions._count")) || 0
  const course = {present: true, state, read, problem: ""}
  course.save = ({text, score, done}) => {
    if (read) { return true }
    const said = [
      set("cmi.suspend_data", text), set("cmi.core.score.min", 0), set("cmi.core.score.max", 100),
      set("cmi.core.score.raw", Math.round(score)),
      set("cmi.core.lesson_status", done ? "completed" : "incomplete"),
      set("cmi.core.exit", "suspend"), // what was answered is there the next time
    ]
    if (!said.every(Boolean)) { course.problem = problem() }
    const kept = call("LMSCommit", "") === "true"
    if (!kept) { course.problem = problem() }
    return kept && said.every(Boolean)
  }
  // What a teacher sees of single answers, in systems that keep them.
  course.answer = ({id, type, response, points}) => {
    if (read) { return }
    const name = `cmi.interactions.${interactions++}`
    const result = points >= 1 ? "correct" : points <= 0 ? "wrong" : points.toFixed(2)
    set(`${name}.id`, id)
    set(`${name}.type`, type)
    set(`${name}.student_response`, response)
    set(`${name}.result`, result)
  }
  // `pagehide` comes in a frame that is taken away, too; not `unload`, which browsers do away with.
  window.addEventListener("pagehide", () => {
    if (!read) { set("cmi.core.session_time", spanOf(performance.now() - began)) }
    call("LMSFinish", "")
  }, {once: true})
  window.addEventListener("pageshow", ({persisted}) => { if (persisted) { location.reload() } })
  return course
}
