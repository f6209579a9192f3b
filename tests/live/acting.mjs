// node tests/live/acting.mjs FILE.json: sentences with their words marked, as JSON.

import {readFileSync} from "node:fs"

import {acting} from "../../app/ucbpe_app/export/lesson/live/acting.js"

const {lexicon, sentences} = JSON.parse(readFileSync(process.argv[2], "utf8"))
process.stdout.write(JSON.stringify(sentences.map((one) => acting(lexicon, one))))
