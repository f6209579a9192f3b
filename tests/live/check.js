// Plays a case of tests.live.cases with the engine, and says what differs from the core.

import {digest, simulate} from "../../app/ucbpe_app/export/lesson/live/run.js"
import {sha256} from "../../app/ucbpe_app/export/lesson/live/sha256.js"

export function problemOf(tables) {
  const columns = tables.columns.map((column) => Float64Array.from(column))
  return {...tables, columns, values: Float64Array.from(tables.values)}
}

export function check({problem, settings, picks, masks, digest: expected}) {
  const run = simulate(problemOf(problem), settings)
  const differing = []
  const chosen = run.iterations.map((one) => one.picks.map(({index}) => index))
  if (JSON.stringify(chosen) !== JSON.stringify(picks)) { differing.push("picks") }
  const bytes = run.iterations.flatMap((one) => [...one.region, ...one.regionPlus])
  if (sha256(Uint8Array.from(bytes)) !== masks) { differing.push("masks") }
  if (digest(run) !== expected) { differing.push("digest") }
  return differing
}
