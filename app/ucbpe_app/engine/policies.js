// A batch: beta, y_dot, R and R+, and the picks of the policy, as ucbpe_core.policies.
// Of a posterior `p` and the same standard deviations `std` after each pick.

import {largest} from "./arrays.js"
import {beta} from "./schedules.js"
import {erfcx, ndtr, tailAt} from "./special.js"
import {thompsonPicks} from "./thompson.js"

const FAR = 1e4
const MISSED = 1e-9 // probability that the best point of a draw is where none is made

// Lowest index with a score within the tolerance of the best.
function firstBest(scoreOf, size, tolerance) {
  let best = -Infinity
  for (let i = 0; i < size; i++) {
    const score = scoreOf(i)
    if (score > best) { best = score }
  }
  const least = Number.isFinite(best) ? best - tolerance : best
  let i = 0
  while (i < size - 1 && !(scoreOf(i) >= least)) { i++ }
  return i
}

// y_dot, R and R+ (Contal et al. 2013, section 3); masks have the tolerance of the bounds.
export function relevantRegion(p, std, betas) {
  const root = Math.sqrt(betas[0])
  const {mean, tolerance} = p
  let yDot = -Infinity
  for (let i = 0; i < std.length; i++) { yDot = Math.max(yDot, mean[i] - root * std[i]) }
  const reaches = (c) => {
    const mask = new Uint8Array(std.length)
    const least = yDot - (1 + c) * tolerance
    for (let i = 0; i < mask.length; i++) { mask[i] = mean[i] + c * std[i] >= least }
    return mask
  }
  return {yDot, region: reaches(root), regionPlus: reaches(2 * Math.sqrt(betas[1]))}
}

function pickUpper({p, sqrtBeta}, std) {
  const bound = (i) => p.mean[i] + sqrtBeta * std[i]
  const best = std[firstBest(bound, p.size, 0)]
  const tolerance = p.tolerance + sqrtBeta * p.stdTolerance(best)
  const index = firstBest(bound, p.size, tolerance)
  return {index, std: std[index], score: bound(index)}
}

function pickLeastKnown({p}, mask) {
  const index = p.leastKnown(mask)
  const std = p.stdAt(index)
  return {index, std, score: std}
}

// log E[max(f - best, 0)] of one candidate, f ~ N(mean, std^2).
export function logImprovement(mean, std, best) {
  const gain = mean - best
  if (!(std > 1e-150 * Math.abs(gain))) { return Math.log(Math.max(gain, 0)) }
  const z = gain / std
  if (z > -1) {
    const density = Math.exp(-0.5 * z ** 2) / Math.sqrt(2 * Math.PI)
    return Math.log(std) + Math.log(z * ndtr(z) + density)
  }
  const far = -z
  const ratio = Math.sqrt(Math.PI / 2) * far * erfcx(far / Math.SQRT2)
  const shrink = far < FAR ? Math.log1p(-ratio) : -2 * Math.log(far)
  return Math.log(std) + shrink - 0.5 * far ** 2 - 0.5 * Math.log(2 * Math.PI)
}

function pickImprovement({p}, std) {
  const best = p.n ? Math.max(...p.indices.map((i) => p.mean[i])) : p.prior.mean
  const score = std.map((one, i) => logImprovement(p.mean[i], one, best))
  const scoreOf = (i) => score[i]
  const j = firstBest(scoreOf, p.size, 0)
  const lowest = logImprovement(p.mean[j] - p.tolerance, Math.max(std[j] - p.stdTolerance(std[j]), 0),
    best)
  const index = firstBest(scoreOf, p.size, score[j] - lowest)
  return {index, std: std[index], score: Math.exp(score[index])}
}

// Whether GP-BUCB is in its initialisation: a batch could tell more than C.
function initializing({p, std, settings: {K, C, initialization}}) {
  if (!initialization || K === 1) { return false }
  if (p.prior.noiseVariance === 0) {
    throw new RangeError("error.noise")
  }
  const variance = largest(std) ** 2
  return 0.5 * (K - 1) * Math.log1p(variance / p.prior.noiseVariance) > C
}

// std less a penalty outside a region, whose threshold is the mean at the point with the greatest upper
// bound of those measured and picked: ucbpe_core.policies.VizierUCBPE, of a posterior before a batch.
function penalisedPicks({p, std, settings: {coefficient, region_coefficient: inside, penalty}}) {
  const {mean} = p
  const known = [...p.indices]
  const reach = mean.map((one, i) => one + inside * std[i])
  const ofUpper = p.tolerance + coefficient * p.stdTolerance(0)
  const ofReach = 2 * p.tolerance + inside * p.stdTolerance(0)
  let last = null // region: the same as long as its threshold is

  function regionOf() {
    if (!known.length) { return null }
    const upper = known.map((i) => mean[i] + coefficient * std[i])
    const level = mean[known[firstBest((k) => upper[k], known.length, ofUpper)]]
    if (last?.level !== level) {
      last = {level, coefficient: inside, slope: penalty,
        mask: Uint8Array.from(reach, (one) => one >= level - ofReach)}
    }
    return last
  }

  const pick = (stdNow) => {
    const explored = regionOf()
    const lack = (i) => (explored ? Math.min(reach[i] - explored.level, 0) : 0)
    const scoreOf = (i) => stdNow[i] + penalty * lack(i)
    const best = firstBest(scoreOf, p.size, 0)
    const tolerance = p.stdTolerance(stdNow[best]) + (lack(best) < 0 ? penalty * ofReach : 0)
    const index = firstBest(scoreOf, p.size, tolerance)
    return {index, std: stdNow[index], score: scoreOf(index), explored}
  }
  return {pick, count: (index) => { known.push(index) }}
}

const VIZIER = "Vizier UCB-PE"
export const hasOwnRegion = ({policy}) => policy === VIZIER

// The region of its own that a decision shows at an event: a pick's, or the next one's.
export function exploredAt({picks}, {kind, k}) {
  const of = {pick: picks.slice(k, k + 1), region: picks.slice(1)}[kind] ?? []
  return of.find(({explored}) => explored)?.explored ?? null
}

// Which picks take the upper bound is drawn at random: none where nothing is measured.
function drawnRoles({p, draws, settings: {pe_probability: first, ucb_probability: other, K}}) {
  return Array.from({length: K}, (_, k) => (
    p.n && (k ? draws[k] < other : draws[k] >= first) ? "ucb" : "penalised"))
}

// The role of the first pick of a batch, and the role of the others.
const POLICIES = {
  "GP-UCB-PE": () => ["ucb", "pe"],
  "EI-PE": () => ["ei", "pe"],
  "GP-UCB": () => ["ucb"],
  "GreedyUCB": () => ["ucb", "ucb"],
  "Pure exploration": () => ["pe", "pe"],
  "Thompson sampling": () => ["ts", "ts"],
  "GP-BUCB": (context) => (initializing(context) ? ["init", "init"] : ["ucb", "ucb"]),
}

export const batchSize = ({policy, K}) => (policy === "GP-UCB" ? 1 : K)
export const usesRegion = ({policy}) => policy === "GP-UCB-PE" || policy === "EI-PE"

function rolesOf(context) {
  if (hasOwnRegion(context.settings)) { return drawnRoles(context) }
  const [first, other] = POLICIES[context.settings.policy](context)
  return Array.from({length: batchSize(context.settings)}, (_, k) => (k ? other : first))
}

// Of a draw each: everywhere but where f is the largest with a probability below 1e-9.
function drawnPicks({p, std, t, settings: {K, seed}}) {
  const beta = tailAt(MISSED / (2 * p.size)) ** 2
  const {region} = relevantRegion(p, std, [beta, beta])
  return thompsonPicks(p, t, K, seed, region)
}

// The picks of these roles, one by one; each is hallucinated before the next is chosen.
function* choose(roles, context) {
  const {p, settings, regionPlus} = context
  const mask = usesRegion(settings) ? regionPlus : null
  const penalised = hasOwnRegion(settings) ? penalisedPicks(context) : null
  const drawn = roles[0] === "ts" ? drawnPicks(context) : null
  const rules = {
    ts: (_, stdNow, k) => ({...drawn[k], std: stdNow[drawn[k].index]}), ucb: pickUpper, ei: pickImprovement, penalised: (_, stdNow) => penalised.pick(stdNow),
  }
  for (const [k, role] of roles.entries()) {
    const pick = role in rules ? rules[role](context, k ? p.std() : context.std, k)
      : pickLeastKnown(context, mask)
    yield {...pick, role}
    penalised?.count(pick.index)
    p.hallucinate(pick.index)
  }
}

// Batch t: all but its picks, which `choices` makes one by one. The posterior is left with those
// hallucinated that were asked for but the last, or with all at the end. `start` is what it is now;
// `draws` are the random numbers of the batch.
export function decide(p, t, settings, d, draws, start = p.snapshot()) {
  const widening = settings.policy === "GP-BUCB" ? settings.widening : 1
  const betas = [t, t + 1].map((at) => (hasOwnRegion(settings) ? settings.coefficient ** 2
    : beta(settings, at, p.size, d, widening)))
  const n = p.n
  const {std} = start
  const relevant = relevantRegion(p, std, betas)
  const sqrtBeta = Math.sqrt(betas[0])
  const context = {p, std, t, sqrtBeta, settings, draws, ...relevant}
  const roles = rolesOf(context)
  const exhausted = std.every((one, i) => !relevant.regionPlus[i] || p.knows(one))
  const decision = {
    t, n, roles, beta: betas[0], betaNext: betas[1], sqrtBeta, ...relevant, exhausted, start}
  return {...decision, choices: choose(roles, context)}
}
