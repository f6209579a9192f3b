// In a worker, beside the engine's modules: batches, and sweeps over the memory that one goes through.

import {createKernel} from "./kernels.js"
import {decide} from "./policies.js"
import {Posterior} from "./posterior.js"

const SETTINGS = {
  kernel: "matern", nu: 2.5, lengthscale: 0.15, variance: 1, mean: 0, noise_variance: 0.01,
  schedule: "finite", delta: 0.1, scale: 0.2, policy: "GP-UCB-PE",
}

function copied(p) {
  const own = Object.assign(Object.create(Posterior.prototype), p)
  for (const name of ["rows", "indices", "pivots", "residuals"]) { own[name] = [...p[name]] }
  own.mean = p.mean.slice()
  own.difference = p.difference.slice()
  return own
}

function conditioned(M, n) {
  const columns = [0, 1].map(() => Float64Array.from({length: M}, Math.random))
  const f = (i) => Math.sin(7 * columns[0][i]) * Math.cos(5 * columns[1][i])
  const p = new Posterior(createKernel(SETTINGS, columns), {mean: 0, noiseVariance: 0.01})
  for (let k = 0; k < n; k++) {
    const i = Math.floor(M * Math.random())
    p.hallucinate(i)
    p.observe(f(i))
  }
  return {p, f}
}

function batch({p, f}, K) {
  const own = copied(p)
  const start = performance.now()
  const picks = [...decide(own, 5, {...SETTINGS, K}, 2).choices]
  for (const {index} of picks) { own.observe(f(index)) }
  return performance.now() - start
}

// K times over the n rows, adding up: no less than this can be done.
function sweep({p: {rows, size}}, K) {
  const total = new Float64Array(size)
  const start = performance.now()
  for (let k = 0; k < K; k++) {
    for (const row of rows) { for (let i = 0; i < size; i++) { total[i] += row[i] } }
  }
  return [performance.now() - start, total[0]]
}

export function measured({M, n, K, repeats}) {
  const state = conditioned(M, n)
  batch(state, K) // compiled by then
  return Array.from({length: repeats}, () => [batch(state, K), sweep(state, K)[0]])
}
