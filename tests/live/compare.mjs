// node tests/live/compare.mjs CASES.jsonl: the engine against cases of tests.live.cases.

import {createReadStream} from "node:fs"
import {createInterface} from "node:readline"

import {check} from "./check.js"

const failed = []
let count = 0
for await (const line of createInterface({input: createReadStream(process.argv[2])})) {
  const one = JSON.parse(line)
  let differing
  try { differing = check(one) } catch (error) { differing = [String(error)] }
  if (differing.length) { failed.push(`case ${one.case}: ${differing.join(", ")}`) }
  count++
}
console.log(failed.concat(`${count} cases, ${failed.length} differ`).join("\n"))
process.exitCode = failed.length ? 1 : 0
