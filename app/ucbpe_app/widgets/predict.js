// A guess of the next pick: what to do, the button that reveals, what came of it, and the score.

function build() {
  const root = document.createElement("section")
  root.className = "game"
  root.setAttribute("aria-label", "Predict")
  root.innerHTML = `
    <div class="words" aria-live="polite"><p class="verdict"></p><p class="prompt"></p></div>
    <div class="side">
      <button type="button" class="reveal">Reveal</button>
      <p class="score"></p>
      <button type="button" class="reset" title="Reset the score">Reset score</button>
    </div>`
  const [verdict, prompt, reveal, score, reset] =
    [".verdict", ".prompt", ".reveal", ".score", ".reset"].map((name) => root.querySelector(name))
  return {root, verdict, prompt, reveal, score, reset}
}

export function render({model}) {
  const {root, verdict, prompt, reveal, score, reset} = build()
  const draw = () => {
    for (const [node, text] of
      [[verdict, model.verdict], [prompt, model.prompt], [score, model.score]]) {
      if (node.textContent !== text) { node.textContent = text }
    }
    // Not `disabled`: a button that becomes so while it has the focus would lose it.
    reveal.setAttribute("aria-disabled", !model.ready)
  }
  reveal.addEventListener("click", () => { if (model.ready) { model.send_msg({do: "reveal"}) } })
  reset.addEventListener("click", () => model.send_msg({do: "reset"}))
  model.on(["prompt", "verdict", "score", "ready"], draw)
  model.on("after_render", draw)
  return root
}
