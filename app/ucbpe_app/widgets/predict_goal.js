// A number of the event that a person brings beyond a bound, by dragging a measurement or by a setting.

// What the numbers of an event are to a goal: "done", "near" it, or "".
export function judgedGoal({quantity, below, above, margin}, facts) {
  const value = facts[quantity]
  if (value === undefined) { return "" }
  const missing = below === null ? above - value : value - below
  return missing < 0 ? "done" : missing <= margin ? "near" : ""
}

// The kind of question that is answered by what is on the screen: its mark is there as long as the
// number is beyond the bound.
function createGoal() {
  let stage = null
  let ask = null
  let act = null

  function start(onStage, of, changed) { [stage, ask, act] = [onStage, of, changed] }

  function draw(mark, of, facts) {
    ask = of
    const verdict = judgedGoal(ask.goal, facts)
    const isDone = verdict === "done"
    if (isDone !== (mark !== null)) {
      act(isDone ? {do: "mark", mark: verdict} : {do: "unmark"}) // and is drawn with that
      return
    }
    const told = verdict === "" ? stage.word(`${ask.kind}.do`, ask) : ask[verdict]
    const isTold = stage.note(stage.word(`goal.${verdict || "turn"}`), told)
    const hint = stage.wide ? stage.word(`${ask.kind}.how`, ask) : ""
    stage.titleOver(stage.main(), isTold || verdict === "" ? ask.text : told, hint)
    stage.say(verdict === "" ? "" : told)
  }

  return {start, draw, gap: () => {}, clear: () => {}}
}
