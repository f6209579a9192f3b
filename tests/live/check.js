// Plays a case of tests.live.cases with the engine, and says what differs from the core.

import {digest, simulate} from "../../app/ucbpe_app/engine/run.js"
import {sha256} from "../../app/ucbpe_app/engine/sha256.js"

export function problemOf(tables) {
  const columns = tables.columns.map((column) => Float64Array.from(column))
  return {...tables, columns, values: Float64Array.from(tables.values)}
}

const same = (one, other) => one.every((value, i) => Object.is(value, other[i]))

// The same run, with what it has in common with one of another beta, to the last bit.
function isSameAfter(problem, run) {
  const {settings} = run
  const earlier = simulate(problem, {...settings, scale: 2 * settings.scale, beta: 2 * settings.beta})
  const again = simulate(problem, settings, [], earlier)
  return digest(again) === digest(run) && same(again.end.mean, run.end.mean)
    && same(again.end.std, run.end.std)
}

export function check({problem, settings, picks, masks, digest: expected}) {
  const tables = problemOf(problem)
  const run = simulate(tables, settings)
  const differing = []
  const chosen = run.iterations.map((one) => one.picks.map(({index}) => index))
  if (JSON.stringify(chosen) !== JSON.stringify(picks)) { differing.push("picks") }
  const bytes = run.iterations.flatMap((one) => [...one.region, ...one.regionPlus])
  if (sha256(Uint8Array.from(bytes)) !== masks) { differing.push("masks") }
  if (digest(run) !== expected) { differing.push("digest") }
  if (!isSameAfter(tables, run)) { differing.push("the run after another") }
  return differing
}

// Of cases, those that differ, in words.
export function differences(cases) {
  return cases.map(({case: name, ...own}) => {
    const differing = check(own)
    return differing.length ? `case ${name}: ${differing.join(", ")}` : ""
  }).filter((one) => one)
}
