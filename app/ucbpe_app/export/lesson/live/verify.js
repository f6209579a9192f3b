// What the first difference is between a run and what Python made of it, in words; "" for none.

import {pickLabel} from "./words.js"

export function differenceOf({iterations, y, initial}, expected) {
  const start = y.slice(0, initial).findIndex((one, i) => one !== expected.y[i])
  if (start >= 0) { return `initial measurement ${start + 1} is ${y[start]}, not ${expected.y[start]}` }
  for (const [i, {t, picks, beta}] of iterations.entries()) {
    if (beta !== expected.beta[i]) { return `β of batch ${t} is ${beta}, not ${expected.beta[i]}` }
    const k = picks.findIndex(({index}, k) => index !== expected.picks[i][k])
    if (k >= 0) {
      const [own, known] = [picks[k].index, expected.picks[i][k]]
      return `${pickLabel(k)} of batch ${t} is candidate ${own}, not ${known}`
    }
    const at = initial + i * picks.length
    const differs = picks.findIndex((_, k) => y[at + k] !== expected.y[at + k])
    if (differs >= 0) { return `the result of ${pickLabel(differs)} of batch ${t} differs` }
  }
  return ""
}
