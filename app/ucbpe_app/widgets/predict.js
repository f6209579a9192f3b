// Predict, gap, reason, next: at events that are marked, a place (or another answer, by its kind) is
// asked before the event is shown. A state is a value, and `advance` gives the next one; the event of
// a pick is not asked for before its answer or skip, so that nobody else has to know the state.

const SKIPPED = "skipped"

// index, last: the event on screen, -1 before there is one, and the last one
// marked: [{index, event}] in order, those that are asked
// answers: by event, what counts: the first answer, or SKIPPED; `latest` are those that are shown
// asking, mark: the event that is asked now, and the answer so far; null without
export const INITIAL = {index: -1, last: 0, marked: [], answers: {}, latest: {}, asking: null, mark: null}

const isDue = ({answers}, {event}) => !(event in answers)
const at = (state, index) => ({...state, index, asking: null, mark: null})

// Forward to an event, or to the first on the way that is to be asked.
function forward(state, target) {
  const {index, marked, asking, mark, answers} = state
  if (asking !== null) {
    if (mark === null) { return state }
    const latest = {...state.latest, [asking]: mark}
    return {...at(state, index + 1), latest, answers: {[asking]: mark, ...answers}}
  }
  const due = marked.find((one) => one.index > index && one.index <= target && isDue(state, one))
  return due ? {...at(state, due.index - 1), asking: due.event} : at(state, target)
}

// One event back from a gap, its answer can be changed; what counts stays.
function backward(state, target) {
  const gap = target === state.index - 1 && state.marked.find(({index}) => index === state.index)
  const mark = gap ? state.latest[gap.event] ?? null : null
  return mark === null ? at(state, target) : {...at(state, target), asking: gap.event, mark}
}

function open(state, target) {
  const passed = state.marked.filter((one) => one.index <= target && isDue(state, one))
  const answers = {...state.answers, ...Object.fromEntries(passed.map(({event}) => [event, SKIPPED]))}
  const next = state.marked.find(({index}) => index === target + 1)
  const isNew = target !== state.index // a reload asks nothing that was not asked before
  const asking = next && (state.asking === next.event || (isNew && isDue(state, next))) ? next.event : null
  return {...state, index: target, answers, asking, mark: asking === state.asking ? state.mark : null}
}

// What follows an action: {do: "go", index}, {do: "next"}, {do: "back"}, {do: "mark", mark},
// {do: "unmark"}, {do: "skip"}, or {do: "open", index}, which is a link: it asks for nothing before it.
export function advance(state, action) {
  const clamp = (index) => Math.min(Math.max(index, 0), state.last)
  const go = (wanted) => {
    const target = clamp(wanted)
    return target > state.index ? forward(state, target) : target < state.index ? backward(state, target) : state
  }
  switch (action.do) {
    case "go": return go(action.index)
    case "next": return go(state.index + 1)
    case "back": return go(state.index - 1)
    case "open": return open(state, clamp(action.index))
    case "mark": return state.asking === null ? state : {...state, mark: action.mark}
    case "unmark": return {...state, mark: null}
    case "skip": return state.asking === null ? state
      : {...at(state, state.index + 1), answers: {[state.asking]: SKIPPED, ...state.answers},
        latest: Object.fromEntries(Object.entries(state.latest).filter(([event]) => event !== state.asking))}
    default: return state
  }
}

// The state as this tab of the browser keeps it, by lesson.
export const KEPT = ["index", "answers", "latest", "asking", "mark"]
const storageKey = (key) => `ucbpe-answers:${key}`

const some = (found) => Object.fromEntries(KEPT.filter((name) => name in found).map((name) => [name, found[name]]))
const kept = (key) => some(stored("sessionStorage", storageKey(key)))
const keep = (key, state) => store("sessionStorage", storageKey(key), some(state))

// What asks. A kind is created with its stage, and what takes an action or null; it has `draw(mark, ask, facts)`
// for a question and `gap(mark, ask, shares)` for what came out.
const kindOf = (name) => (
  {place: createPlace, draw: createDraw, drag: createGoal, set: createGoal, class: createClass})[name]

// What is brought about is no event of its own.
const isGoal = ({kind}) => kind === "drag" || kind === "set"

// Asks on a timeline's page: `model` has what is asked, and `move` is to be called with the event to go
// to, `changed` when something else changed. Its `index` is that of the state.
function createPrediction(model, {move, changed}) {
  let state = INITIAL
  let known = null // what is asked of which run
  let scene = null // {name, stage, kind}: what is on screen
  let waiting = null // for a picture that is not there yet
  let said = "" // of a gap, to be read out after the event's status

  const clear = () => {
    clearTimeout(waiting)
    scene?.stage.end()
    scene = null
    said = ""
  }
  const say = (text) => {
    said = text
    changed()
  }
  // A question once its event is on screen, a gap once the pick is; nothing while the server draws.
  const wanted = () => {
    const {ask, gap, index} = model
    if (index !== state.index) { return null }
    if (state.asking !== null && ask.event === state.asking) { return {ask, mark: state.mark, isGap: false} }
    const isGap = state.asking === null && gap.event in state.answers
    return isGap ? {ask: gap, mark: state.latest[gap.event] ?? null, isGap} : null
  }
  const show = () => {
    const now = wanted()
    if (!now) { return clear() }
    const {ask, mark, isGap} = now
    const name = `${isGap ? "gap" : "ask"} ${ask.event} ${known}`
    if (name !== scene?.name) {
      clear()
      const stage = createStage(ask.picture, model.asked.words, show, say)
      if (!stage) {
        waiting = setTimeout(show, 100)
        return
      }
      stage.layer.classList.toggle("gap", isGap)
      scene = {name, stage, kind: kindOf(ask.kind)(stage, isGap ? null : act)}
    }
    if (isGap) { scene.kind.gap(mark, ask, sharesBefore(ask)) } else { scene.kind.draw(mark, ask, model.facts) }
  }
  // Of the gaps that were seen before, the last: its pick, and how far up the answer was.
  const shares = new Map()
  const sharesBefore = (ask) => {
    const before = [...shares].filter(([index]) => index < ask.index).at(-1)
    const tell = (share) => {
      shares.set(ask.index, {pick: ask.label, share})
      const detail = {key: model.asked.key, event: ask.event, share}
      window.dispatchEvent(new CustomEvent("lab:share", {detail})) // for the lesson's last card
    }
    return {before: before?.[1], tell}
  }
  const take = (next) => {
    state = next
    if (state.marked.length) { keep(model.asked.key, state) }
  }
  const act = (action) => {
    const next = advance(state, action)
    if (next === state) { return false }
    const from = state.index
    take(next)
    if (state.index !== from) { move(state.index) }
    show()
    changed()
    return true
  }
  // What the server, or a link, has on screen: another run, or an event that nobody asked for here.
  const follow = (moving) => {
    const name = JSON.stringify([model.asked, model.total])
    const news = name !== known
    if (news) {
      clear()
      const {key, marks = []} = model.asked
      const same = known !== null && JSON.parse(known)[0].key === key
      known = name
      state = {...INITIAL, ...(same ? state : key ? kept(key) : {}), last: model.total - 1, marked: marks}
    }
    if (news || (!moving && model.index !== state.index)) {
      take(advance(state, {do: "open", index: model.index}))
    }
    show()
    changed()
  }
  const word = (name, facts = {}) => filled(model.asked.words?.[`ask.${name}`] ?? "", facts)
  return {
    act, follow, word, end: clear,
    get said() { return said },
    get need() { return word(`need.${model.ask.kind}`) || word("need") },
    get asking() { return state.asking },
    get isReady() { return state.asking === null || state.mark !== null },
    isAsked: (index) => state.marked.some((one) => one.index === index && one.event === state.asking && !isGoal(one)),
  }
}

// A text with its places filled.
const filled = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name])
