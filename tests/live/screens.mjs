// node tests/live/screens.mjs PARTS.json: what the engine draws at some events, as JSON.

import {readFileSync} from "node:fs"

import {createPage} from "../../app/ucbpe_app/export/lesson/live/page.js"
import {simulate} from "../../app/ucbpe_app/export/lesson/live/run.js"
import {problemOf} from "./check.js"

const plain = (_, value) => {
  if (ArrayBuffer.isView(value)) { return Array.from(value) }
  if (value instanceof Map) { return Array.from(value) }
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value
}

const {tables, lexicon, layers, runs} = JSON.parse(readFileSync(process.argv[2], "utf8"))
const drawn = runs.map(({settings, events}) => {
  const page = createPage(simulate(problemOf(tables), settings), lexicon, layers)
  return events.map((i) => page.show(i))
})
process.stdout.write(JSON.stringify(drawn, plain))
