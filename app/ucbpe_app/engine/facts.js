// Numbers of an event that a lesson's task can be about: ucbpe_app.run.facts.

import {largest, sizeOf} from "./arrays.js"

// Without those that are not on screen.
export function factsOf({picks, regionPlus, stdNow}) {
  const all = {
    x0: picks.find(({number}) => number === 0)?.x[0] ?? null,
    region: regionPlus === null ? null : 100 * sizeOf(regionPlus) / regionPlus.length,
    std: largest(stdNow),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}
