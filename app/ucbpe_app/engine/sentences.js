// The words of an event: the texts come from ucbpe_app.run.sentences and are filled by the same rule.

import {extent, largest, sizeOf} from "./arrays.js"
import {exploredAt, hasOwnRegion, usesRegion} from "./policies.js"
import {atLeast, coordinates, earlierPicks, number, only} from "./words.js"
import {percent, percentage, pickLabel, say} from "./words.js"

const TIE = 1e-9 // share by which widths of the band are equal
const SAME = 1e-6 // share by which stds are equal: they are differences of variances
const TINY = 1e-3 // a regret that plain words do not tell from 0
const pickOrder = (k) => 1 + k
const ORDER = {posterior: () => 0, pick: pickOrder, region: () => 1.5, observe: () => Infinity}

export function createSentences({texts, counts, direction, roles: known, rules}, {run, scene}, {secret = false} = {}) {
  const {settings, p} = run
  const measured = run
  const counted = (count) => counts[count] ?? String(count)
  const region = usesRegion(settings)
  const own = hasOwnRegion(settings)
  const extents = scene.columns.map(extent).map(([low, high]) => high - low)
  const placeOf = (index) => coordinates(scene.columns.map((column) => column[index]), extents)
  const place = ({picks}, k) => placeOf(picks[k].index)
  const out = (regionPlus) => percent(1 - sizeOf(regionPlus) / regionPlus.length)

  function posterior({n, sqrtBeta, beta}, event, {std}) {
    const most = largest(std)
    const index = std.findIndex((one) => one >= (1 - TIE) * most)
    return {
      n, count: counted(n), evidence: n ? "@evidence" : "@evidence.none", multiplier: number(sqrtBeta),
      beta: number(beta), half: number(sqrtBeta * std[index]), x: placeOf(index),
    }
  }

  const exploresRegion = (role) => region && role === "pe"

  // Whether a pick was picked before, and what another measurement there tells, by the std.
  function repeat({picks, n, regionPlus}, k, {stdNow}) {
    const {index, role, std} = picks[k]
    const before = [...p.indices.slice(0, n), ...picks.slice(0, k).map((one) => one.index)]
    const already = {known: only("known", p.knows(std))}
    if (!before.includes(index)) { return {repeat: "", ...already} }
    const offered = exploresRegion(role) ? stdNow.filter((_, i) => regionPlus[i]) : stdNow
    const again = stdNow[index] >= (1 - SAME) * largest(offered) ? "@repeat_most" : "@repeat_less"
    return {
      repeat: "@repeat", again: settings.noise_variance > 0 ? again : "",
      there: number(stdNow[index]), most: number(largest(stdNow)), ...already,
    }
  }

  // Of a region of the policy's own, or null, in the units of f.
  function ofExplored(found) {
    return {
      ...direction, reaches: direction.sign > 0 ? "≥" : "≤",
      reach: `μ ${direction.plus} ${found ? number(found.coefficient) : "b"} s`,
      level: found ? number(direction.sign * found.level) : "",
      explored_share: found ? percentage(found.mask) : "", slope: found ? number(found.slope) : "",
    }
  }

  function pick(decision, {k}, frame) {
    const {picks, roles, regionPlus, sqrtBeta, n} = decision
    const {role, std, score, explored} = picks[k]
    const same = roles.flatMap((one, i) => (one === role ? [i] : []))
    const value = direction.sign * score
    const others = roles.length - 1
    const nats = 0.5 * others * Math.log1p(picks[0].std ** 2 / settings.noise_variance)
    return {
      ...direction, role: known[role].name, reason: `@${role}`, pick: pickLabel(k),
      x: place(decision, k), std: number(std), score: number(score), value: number(value),
      mean: number(value - direction.sign * sqrtBeta * std), multiplier: number(sqrtBeta),
      rank: only("rank", same.length > 1), number: same.indexOf(k) + 1, count: same.length,
      inside: only("inside", region && k), share: region && k ? percentage(regionPlus) : "",
      where: exploresRegion(role) ? "@inside_plus" : "@on_x",
      ucb_given: only("ucb_given", k), given: only("given", k), blind: only("blind", k),
      ...earlierPicks(k),
      position: k + 1, K: roles.length, n: others, nats: number(nats), incumbent: n ? "@best_measured" : "@prior_mean",
      ...repeat(decision, k, frame),
      ...role === "penalised"
        ? {...ofExplored(explored), penalty: explored ? "@penalty" : "@no_penalty"} : {},
    }
  }

  function relevant({yDot, region: inner, regionPlus, exhausted}) {
    return {
      ...direction, y_dot: atLeast(yDot, direction.sign), inner: percentage(inner), share: percentage(regionPlus),
      out: out(regionPlus), kept: regionPlus.every((one) => one) ? "@region.all" : "@region.part",
      exhausted: only("exhausted", exhausted),
    }
  }

  function observe({picks}, {t}) {
    return {...direction, n: picks.length, count: counted(picks.length), ...regrets(t)}
  }

  // After batch t; in plain words, which alone have the text, none has an exponent.
  function regrets(t) {
    const best = (found) => number(direction.sign * Math.max(...found.map((one) => direction.sign * one)))
    const [before, after] = [t - 1, t].map((one) => measured.initial + one * run.iterations[0].roles.length)
    const results = {best_of: best(measured.y.slice(before, after)), best_so_far: best(measured.y.slice(0, after))}
    const worded = (regret) => ("tiny" in texts && regret < TINY ? "@tiny" : number(regret))
    return {...results, simple: worded(scene.regrets.simple[t - 1]), running: worded(scene.regrets.running[t - 1])}
  }

  const stop = ({index, regret}) => say(texts, "stop", {
    ...direction, x: placeOf(index), bound: atLeast(regret, -1),
  })

  // The picks in order, split where the role changes and where R+ is computed, after x0.
  function loops({roles}) {
    const found = []
    roles.forEach((role, k) => {
      const splits = k === 1 && (region || own)
      if (found.length && !splits && roles[k - 1] === role) { found.at(-1).push(k) } else {
        found.push([k])
      }
    })
    return found
  }

  function algorithm({kind, k, t}, decision) {
    const reached = ORDER[kind](k)
    const {n, sqrtBeta, regionPlus, yDot, roles} = decision
    const all = roles.length
    const facts = {
      ...direction, n, multiplier: number(sqrtBeta), y_dot: region ? atLeast(yDot, direction.sign) : "",
      all: {1: "@line.it", 2: "@line.both"}[all] ?? "@line.all", size: counted(all), out: region ? out(regionPlus) : "",
      share: region ? percentage(regionPlus) : "", and_running: "", ...regrets(t),
      ...own ? ofExplored(exploredAt(decision, {kind: "region"})) : {},
    }
    const line = (name, at, given, look = "") => {
      const [text, value] = [name, `${name}_value${secret && name === "measure" ? ".secret" : ""}`]
        .map((one) => say(texts, `line.${one}`, {...facts, ...given}))
      return {text, value: at <= reached ? value : "", active: at === reached, look}
    }
    const lines = [line("posterior", 0)]
    for (const picks of loops(decision)) {
      if (picks[0] === 1 && (region || own)) {
        const names = own ? ["threshold", "explored"] : ["y_dot", "region"]
        lines.push(...names.map((name) => line(name, 1.5)))
      }
      const latest = picks.filter((one) => pickOrder(one) <= reached).at(-1) ?? picks[0]
      const role = roles[latest]
      const single = picks[0] ? "@line.single" : "@line.first"
      lines.push(line("pick", pickOrder(latest), {
        loop: picks.length === 1 ? single : "@line.loop", from: picks[0], last: picks.at(-1),
        count: counted(picks.length), pick: pickLabel(latest),
        rule: `rule.${role}` in texts ? `@rule.${role}` : rules[settings.policy][role],
        x: pickOrder(latest) <= reached ? place(decision, latest) : "", // later picks may be missing
      }, known[role].look))
    }
    return [...lines, line("measure", Infinity)].filter(({text}) => text)
  }

  // What a heading adds of measurements that were moved or left out.
  function byHand(changed) {
    const gone = changed.filter(({y}) => y === null).length
    return Object.entries({moved: changed.length - gone, left_out: gone})
      .map(([name, n]) => (n ? ` · ${say(texts, name, {n})}` : "")).join("")
  }

  const explored = ({picks}, event, frame) => ofExplored(frame.explored)
  const FACTS = {posterior, pick, region: relevant, explored, unexplored: explored, observe}
  return (frame) => {
    const {event, decision, changed} = frame
    const kind = own && event.kind === "region" ? (frame.explored ? "explored" : "unexplored") : event.kind
    const facts = FACTS[kind](decision, event, frame)
    const told = secret && kind === "observe" ? ".secret" : ""
    const status = {t: event.t, T: settings.T, what: `@${kind}.status${told}`}
    return {
      status: say(texts, "status", {...facts, ...status}),
      heading: say(texts, `heading.${kind}`, facts) + byHand(changed),
      sentence: say(texts, told ? "observe.secret" : scene.holdData && kind === "observe" ? "observe.held" : kind, facts),
      lines: algorithm(event, decision),
      stop,
    }
  }
}
