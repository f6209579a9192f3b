// The words beside the pictures as HTML: ucbpe_app.components.algorithm, and the table of the run.

import {acting} from "./acting.js"
import {batchSize} from "./policies.js"
import {digest, isWhole} from "./run.js"
import {createSentences} from "./sentences.js"
import {escape, number, only, pickLabel, say} from "./words.js"

function item({text, value, active}, step) {
  const state = active ? "lit" : value ? "told" : "ahead"
  const current = step ? " aria-current=\"step\"" : ""
  const shown = escape(value)
  return `<li class="${state}"${current}><code>${escape(text)}</code>`
    + `<span class="value" title="${shown}">${shown}</span></li>`
}

// As ucbpe_app.export.words.kernel_words.
function kernelWords(settings, {kernels, controls}) {
  const {label, uses} = kernels.find(({code}) => code === settings.kernel)
  const words = uses.map((name) => {
    const {word} = controls[name]
    return `${word}${word.length === 1 ? " =" : ""} ${number(settings[name])}`
  })
  return [label, ...words].join(", ")
}

export function createTexts(replay, lexicon) {
  const {run, scene} = replay
  const {settings} = run
  const {texts} = lexicon
  const describe = createSentences(lexicon, replay)

  function table() {
    const own = {
      "Policy": settings.policy,
      "Batches": say(texts, "run.batches", {T: settings.T, K: batchSize(settings)}),
      "Initial points": `${run.initial}`,
      "Kernel": kernelWords(settings, lexicon),
      "Prior mean": number(settings.mean),
      "Noise variance": say(texts, "run.noise", {
        noise: number(settings.noise_variance), truth: number(scene.noiseStd ** 2)}),
      "β": say(texts, `schedule.${settings.schedule}`, {
        delta: number(settings.delta), beta: number(settings.beta),
        times: only("times", settings.scale !== 1), scale: number(settings.scale)}),
      "Run": digest(run).slice(0, 8),
    }
    const rows = lexicon.run.map(([name, value]) => (
      `<tr><th scope="row">${escape(name)}</th><td>${escape(own[name] ?? value)}</td></tr>`))
    return `<section aria-label="This run"><h2>This run</h2><table>${rows.join("")}</table></section>`
  }

  const label = ({kind, k}) => (kind === "pick" ? pickLabel(k) : texts[`item.${kind}`])

  // The events of a batch as the timeline shows them.
  function items(t) {
    const {roles} = run.iterations[t - 1]
    return replay.batch(t).map((event) => ({
      label: label(event), index: replay.events.indexOf(event), event: event.text,
      role: event.kind === "pick" ? roles[event.k] : event.kind,
    }))
  }

  function load(out) {
    if (isWhole(run)) { out.html("run", table()) }
    out.timeline({total: replay.events.length, starts: replay.starts})
  }

  function update(frame, out) {
    const {status, sentence, lines} = describe(frame)
    const lit = lines.findLastIndex(({active}) => active)
    const all = lines.map((line, i) => item(line, i === lit)).join("")
    const current = lit < 0 ? "" : item(lines[lit], false)
    const words = lexicon.acting ? acting(lexicon, sentence) : escape(sentence)
    out.html("algorithm", `<h2>${escape(settings.policy)}</h2><ol>${all}</ol>`)
    out.html("why", "<section aria-label=\"Why this point\"><h2>Why this point</h2>"
      + `<p>${words}</p><ol>${current}</ol></section>`)
    out.timeline({items: items(frame.event.t), status})
  }

  return {load, update}
}
