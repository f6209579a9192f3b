// Numbers of an event that a lesson's task can be about: ucbpe_app.run.facts.

import {largest, sizeOf} from "./arrays.js"

function apart(picks) {
  const between = picks.flatMap(({x}, i) => (
    picks.slice(0, i).map((other) => Math.hypot(...x.map((one, d) => one - other.x[d])))))
  return between.length ? Math.min(...between) : null
}

function missed({truth}, {lower, upper}) {
  let outside = 0
  for (let i = 0; i < truth.length; i++) { outside += truth[i] < lower[i] || truth[i] > upper[i] }
  return 100 * outside / truth.length
}

// Without those that are not on screen.
export function factsOf(scene, frame) {
  const {picks, regionPlus, stdNow} = frame
  const all = {
    x0: picks.find(({number}) => number === 0)?.x[0] ?? null,
    apart: apart(picks),
    region: regionPlus === null ? null : 100 * sizeOf(regionPlus) / regionPlus.length,
    std: largest(stdNow),
    missed: missed(scene, frame),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}
