// The words next to the pictures as HTML: ucbpe_app.widgets.algorithm, and the table of the run.

import {secondOf, stretched} from "./kernels.js"
import {batchSize, hasOwnRegion} from "./policies.js"
import {digest, isWhole} from "./run.js"
import {createAsking, factsOf} from "./asked.js"
import {createSentences} from "./sentences.js"
import {escape, explain, html, number, only, pickLabel, say} from "./words.js"

// A sentence whose words act: of a mark, the first is its term. See ucbpe_app.widgets.algorithm and
// the pattern of ucbpe_app.run.glossary.
export function acting(lexicon, sentence) {
  const seen = new Set()
  const parts = []
  let end = 0
  for (const {0: words, index, groups} of sentence.matchAll(new RegExp(lexicon.acting, "gu"))) {
    const mark = Object.keys(groups).find((one) => groups[one] !== undefined)
    if (seen.has(mark)) { continue }
    seen.add(mark)
    parts.push(escape(sentence.slice(end, index)))
    parts.push(html(lexicon.markup.term, {mark, meaning: explain(lexicon, words), words}))
    end = index + words.length
  }
  return [...parts, escape(sentence.slice(end))].join("")
}

// As ucbpe_app.run.described.kernel_words.
function kernelWords(settings, lexicon) {
  const second = secondOf(settings)
  const first = partWords(settings, lexicon)
  const sign = second?.join === "plus" ? "+" : "×"
  return second ? `(${first}) ${sign} (${partWords(second.settings, lexicon)})` : first
}

function partWords(settings, {kernels, controls, inputs}) {
  const {label, uses, length} = kernels.find(({code}) => code === settings.kernel)
  const words = uses.map((name) => {
    const {word} = controls[name]
    const values = name === length && settings.stretch !== 1
      ? stretched(settings[name], settings.stretch, inputs.length) : [settings[name]]
    return `${word}${word.length === 1 ? " =" : ""} ${values.map(number).join(", ")}`
  })
  return [label, ...words].join(", ")
}

export function createTexts(replay, lexicon, layers) {
  const {run, scene} = replay
  const {settings} = run
  const {texts, markup} = lexicon
  const describe = createSentences(lexicon, replay, layers)
  const asking = createAsking(replay, lexicon)
  const bare = asking.hidesRules

  function table() {
    const own = {
      policy: settings.policy,
      length: say(texts, "run.batches", {T: settings.T, K: batchSize(settings)}),
      initial: `${run.initial}`,
      kernel: kernelWords(settings, lexicon),
      mean: number(settings.mean),
      noise_variance: say(texts, "run.noise", {
        noise: number(settings.noise_variance), truth: number(scene.noiseStd ** 2)}),
      beta: say(texts, `schedule.${settings.schedule}`, {
        delta: number(settings.delta), beta: number(settings.beta),
        times: only("times", settings.scale !== 1), scale: number(settings.scale)}),
      ...scene.seed === undefined ? {} : {seed: `${scene.seed}`}, // where there are several
      digest: digest(run).slice(0, 8),
    }
    const named = new Map(Object.entries(own).map(([key, value]) => [texts[`run.${key}`], value]))
    const rows = lexicon.run.map(([name, value]) => (
      html(markup.row, {name, value: named.get(name) ?? value})))
    return html(markup.run, {}, {rows: rows.join("")})
  }

  function item({text, value, active, look}, step) {
    const state = active ? "lit" : value ? "told" : "ahead"
    // No rule is named before its event, where a visitor is asked first.
    const told = state === "ahead" && bare ? text.split(/:| ←/)[0] : text
    return html(markup.item, {state, look, text: told, value}, {current: step ? markup.current : ""})
  }

  const region = hasOwnRegion(settings) ? "explored" : "region"
  const label = ({kind, k}) => (kind === "pick" ? pickLabel(k)
    : texts[`item.${kind === "region" ? region : kind}`])

  // The events of a batch as the timeline shows them.
  function items(t) {
    const {roles} = run.iterations[t - 1]
    return replay.batch(t).map((event) => ({
      label: label(event), index: replay.events.indexOf(event), event: event.text,
      look: event.kind === "pick" ? lexicon.roles[roles[event.k]].look : "",
    }))
  }

  function load(out) {
    if (isWhole(run)) { out.html("run", table()) }
    out.timeline({total: replay.events.length, starts: replay.starts, asked: asking.asked})
  }

  function update(frame, out) {
    const {status, heading, sentence: why, lines, stop} = describe(frame)
    const sentence = layers.stop && frame.certificate ? `${why} ${stop(frame.certificate)}` : why
    const lit = lines.findLastIndex(({active}) => active)
    out.html("why", html(markup.why, {heading}, {
      sentence: lexicon.acting ? acting(lexicon, sentence) : escape(sentence),
      items: lines.map((line, i) => item(line, i === lit)).join(""),
    }))
    out.timeline({items: items(frame.event.t), status, facts: factsOf(frame), ...asking.at(frame)})
  }

  return {load, update}
}
