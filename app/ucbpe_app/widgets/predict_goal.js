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
function createGoal(stage, act) {
  function draw(mark, ask, facts) {
    const verdict = judgedGoal(ask.goal, facts)
    if ((verdict === "done") !== (mark !== null)) {
      act(mark === null ? {do: "mark", mark: verdict} : {do: "unmark"}) // and is drawn with that
      return
    }
    const told = verdict === "" ? stage.word(`${ask.kind}.do`, ask) : ask[verdict]
    const isTold = stage.note(stage.word(`goal.${verdict || "turn"}`), told)
    stage.title(stage.main(), isTold || verdict === "" ? ask.text : told, stage.wide ? stage.word(`${ask.kind}.how`, ask) : "")
    stage.say(verdict === "" ? "" : told)
  }

  return {draw, gap: () => {}}
}
