// Results of complete runs: a cell of the atlas of settings, see run/atlas.py.

import {regrets, simulate} from "./run.js"

export const [REGRET, OUTSIDE, SHARE, WHOLE] = [0, 1, 2, 3] // the numbers of a run, as in run/atlas.py
const SLACK = 1e-9 // of the prior's standard deviation, as ucbpe_core.theory.first_exit

// Whether f is outside its band at a candidate when a batch begins.
function isOutside({values, sign}, {start: {mean, std}, sqrtBeta}, slack) {
  return values.some((f, i) => Math.abs(sign * f - mean[i]) > sqrtBeta * std[i] + slack)
}

// The least regret of a pick; batches with f outside its band; the share of X in the last R+; and
// batches in which R+ is all of X.
function summary({problem, iterations, ...run}) {
  const {p: {largest, size}} = run
  const slack = SLACK * Math.sqrt(largest)
  const kept = iterations.map(({regionPlus}) => regionPlus.reduce((sum, one) => sum + one, 0))
  return [
    Math.min(...regrets({problem, iterations, ...run}).simple),
    iterations.filter((one) => isOutside(problem, one, slack)).length,
    kept.at(-1) / size,
    kept.filter((one) => one === size).length,
  ]
}

// Those of runs that differ in the scale of beta alone, one for each: they have rows in common.
export function cells(problem, settings, scales) {
  let run = null
  return scales.map((scale) => {
    run = simulate(problem, {...settings, scale}, [], run)
    return summary(run)
  })
}
