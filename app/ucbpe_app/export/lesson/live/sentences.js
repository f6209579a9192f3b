// The words of an event: ucbpe_app.run.sentences, by the texts that Python wrote into the file.

import {extent} from "./arrays.js"
import {usesRegion} from "./policies.js"
import {coordinates, fill, number, percentage, pickLabel} from "./words.js"

export function createSentences(lexicon, replay) {
  const {run, scene} = replay
  const {settings, p} = run
  const {texts, direction} = lexicon
  const rules = lexicon.rules[settings.policy]
  const region = usesRegion(settings)
  const say = (name, values = {}) => fill(texts[name], values)
  const counted = (name, n, values = {}) => say(n === 1 ? `${name}.one` : name, {n, ...values})
  const named = (role) => lexicon.roles[role].name
  const extents = scene.columns.map(extent).map(([low, high]) => high - low)
  const place = ({picks}, k) => (
    coordinates(scene.columns.map((column) => column[picks[k].index]), extents))
  const earlier = (k) => (k === 1 ? pickLabel(0)
    : `${pickLabel(0)} ${k === 2 ? texts.and : "…"} ${pickLabel(k - 1)}`)

  function fit({n, sqrtBeta, beta}) {
    const known = n === 0 ? say("prior") : counted("posterior", n)
    const values = {known, multiplier: number(sqrtBeta), beta: number(beta)}
    return [counted("fit.status", n), say("fit", values)]
  }

  function bound({picks, sqrtBeta}, k) {
    const {std, score} = picks[k]
    const signed = direction.sign * score
    return say("bound", {
      mean: number(signed - direction.sign * sqrtBeta * std), plus: direction.plus,
      multiplier: number(sqrtBeta), std: number(std), bound: number(signed),
    })
  }

  function leastKnown({picks}, k, where) {
    const given = k ? say("given", {earlier: earlier(k)}) : ""
    return say("least_known", {x: pickLabel(k), where, given, std: number(picks[k].std)})
  }

  const REASONS = {
    ucb: (decision, k) => say("ucb", {
      x: pickLabel(k), highest: direction.highest, best: direction.best,
      given: k ? texts.ucb_given : "", bound: bound(decision, k), higher: direction.higher,
    }),
    pe: (decision, k) => leastKnown(decision, k, texts[region ? "inside_plus" : "on_x"])
      + (k ? texts.blind : ""),
    init: (decision, k) => {
      const others = decision.roles.length - 1
      const largest = decision.picks[0].std
      const nats = 0.5 * others * Math.log1p(largest ** 2 / settings.noise_variance)
      const results = counted("more_results", others)
      return `${leastKnown(decision, k, texts.on_x)} ${say("init", {results, nats: number(nats)})}`
    },
    ei: ({picks, n}, k) => say("ei", {
      x: pickLabel(k), exceeds: texts[direction.sign > 0 ? "exceeds" : "falls_below"],
      best: texts[n ? "best_measured" : "prior_mean"],
      mean: number(picks[k].score), std: number(picks[k].std),
    }),
  }

  function repeat({picks, n}, k) {
    const before = [...p.indices.slice(0, n), ...picks.slice(0, k).map(({index}) => index)]
    const known = p.knows(picks[k].std) ? texts.known : ""
    if (!before.includes(picks[k].index)) { return known }
    const learns = lexicon.roles[picks[k].role].learns && settings.noise_variance > 0
    return say("repeat", {learns: learns ? texts.repeat_learns : ""}) + known
  }

  function pick(decision, {k}) {
    const {picks, roles, regionPlus} = decision
    const {role, std} = picks[k]
    const same = roles.flatMap((one, i) => (one === role ? [i] : []))
    const rank = same.length > 1
      ? say("rank", {number: same.indexOf(k) + 1, count: same.length}) : ""
    const inside = region && k ? say("inside", {share: percentage(regionPlus)}) : ""
    const values = {which: named(role) + rank, x: place(decision, k), std: number(std), inside}
    return [say("pick.status", values), REASONS[role](decision, k) + repeat(decision, k)]
  }

  function relevant({yDot, region: inner, regionPlus, exhausted}) {
    const share = percentage(regionPlus)
    const all = regionPlus.every((one) => one)
    const known = fill(direction.y_dot, {y_dot: number(yDot)})
    const kept = say(all ? "region.all" : "region.part", {share, best: direction.best})
    const status = say("region.status", {y_dot: number(yDot), inner: percentage(inner), share})
    return [status, say("region", {known, kept}) + (exhausted ? texts["region.exhausted"] : "")]
  }

  function observe({picks}, {t}) {
    const values = {
      simple: number(scene.regrets.simple[t - 1]), best: number(scene.regrets.running[t - 1]),
      short_of: direction.short_of, extreme: direction.extreme,
    }
    const results = counted("results", picks.length)
    const news = counted("news", picks.length)
    return [say("observe.status", {...values, results}), say("observe", {...values, news})]
  }

  // The picks in order, split where the role changes and where R+ is computed, after x0.
  function loops({roles}) {
    const found = []
    roles.forEach((role, k) => {
      const splits = k === 1 && region
      if (found.length && !splits && roles[k - 1] === role) { found.at(-1).push(k) } else {
        found.push([k])
      }
    })
    return found
  }

  const pickOrder = (k) => 1 + k
  const order = ({kind, k}) => ({fit: 0, pick: pickOrder(k), region: 1.5, observe: Infinity}[kind])

  function algorithm(event, decision) {
    const reached = order(event)
    const {n, sqrtBeta, regionPlus, yDot} = decision
    const lines = [[texts["line.fit"], say("line.fit_value", {n, multiplier: number(sqrtBeta)}), 0]]
    for (const picks of loops(decision)) {
      if (picks[0] === 1 && region) {
        lines.push([direction.y_dot_rule, `y• = ${number(yDot)}`, 1.5])
        lines.push([direction.region_rule, say("line.share", {share: percentage(regionPlus)}), 1.5])
      }
      const shown = picks.filter((k) => pickOrder(k) <= reached)
      const latest = shown.at(-1) ?? picks[0]
      const value = shown.length ? `${pickLabel(latest)} = ${place(decision, latest)}` : ""
      const loop = picks.length === 1 ? pickLabel(picks[0])
        : say("line.loop", {first: picks[0], last: picks.at(-1)})
      lines.push([`${loop} ← ${rules[decision.roles[latest]]}`, value, pickOrder(latest)])
    }
    const regret = `rₜ = ${number(scene.regrets.simple[event.t - 1])}`
    lines.push([texts["line.measure"], regret, Infinity])
    return lines.map(([text, value, at]) => (
      {text, value: at <= reached ? value : "", active: at === reached}))
  }

  const DESCRIBE = {fit, pick, region: relevant, observe}
  return ({event, decision}) => {
    const [what, sentence] = DESCRIBE[event.kind](decision, event)
    const status = say("status", {t: event.t, T: settings.T, what})
    return {status, sentence, lines: algorithm(event, decision)}
  }
}
