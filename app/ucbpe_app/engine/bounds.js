// Theorem 1 on a run: ucbpe_core.theory.RegretBounds for R_T^K, with gamma_bound and trivial_bound.

import {extent} from "./arrays.js"
import {batchSize} from "./policies.js"
import {Posterior} from "./posterior.js"

const C2 = Math.PI / Math.sqrt(6) // as printed
const SUM_OF_INVERSE_SQUARES = Math.PI ** 2 / 6

// Upper bounds on gamma_1 .. gamma_n, from the greedy choice of candidates.
function gammaBound({kernel, prior}, n) {
  const p = new Posterior(kernel, prior)
  let gain = 0
  return Array.from({length: n}, () => {
    const index = p.leastKnown()
    gain += 0.5 * Math.log1p(p.stdAt(index) ** 2 / prior.noiseVariance)
    p.hallucinate(index)
    return gain / (1 - Math.exp(-1))
  })
}

// By role, for T = 1, 2, ..; null without noise, where one measurement tells infinitely much.
export function boundsOf({problem: {values}, settings, iterations, p}) {
  const {noiseVariance} = p.prior
  if (noiseVariance === 0) { return null }
  const K = batchSize(settings)
  const gamma = gammaBound(p, settings.T * K)
  const [lowest, highest] = extent(values)
  const ratio = Math.log1p(p.largest / noiseVariance)
  const scaled = (of) => iterations.map(({beta}, i) => (
    Math.sqrt(p.largest) * of((i + 1) * beta * gamma[(i + 1) * K - 1] / ratio, Math.sqrt(beta))))
  const compact = settings.schedule === "compact" ? SUM_OF_INVERSE_SQUARES : 0
  return {
    trivial: iterations.map((_, i) => (i + 1) * (highest - lowest)),
    printed: scaled((squared) => Math.sqrt(4 * squared / K + C2)),
    proved: scaled((squared, root) => Math.sqrt(8 * squared / K) + 2 * root * (K - 1) / K + compact),
  }
}
