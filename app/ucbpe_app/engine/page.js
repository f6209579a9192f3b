// What a run has on the page: for each event, the columns, properties and words by their names.

import {explain} from "./words.js"
import {createCurve} from "./curve.js"
import {createField} from "./field.js"
import {createPlane} from "./plane.js"
import {layersAt} from "./asked.js"
import {createRegret} from "./regret.js"
import {createReplay} from "./replay.js"
import {isWhole} from "./run.js"
import {createTexts} from "./texts.js"

// Collects what is to be set. An image is kept flat, with its shape: the page makes Bokeh's array.
function createOut(lexicon) {
  const found = {sources: {}, models: {}, html: {}, timeline: {}, labels: {}}
  return {
    found,
    source: (name, columns) => { found.sources[name] = columns },
    model: (name, properties) => { found.models[name] = {...found.models[name], ...properties} },
    // A double click goes back to it.
    range: (name, {start, end}) => {
      found.models[name] = {start, end, reset_start: start, reset_end: end}
    },
    // Of a plot: what they name, in the units of its axes.
    labels: (name, items) => {
      found.labels[name] = items.map((item) => ({...item, meaning: explain(lexicon, item.text)}))
    },
    html: (name, text) => { found.html[name] = text },
    timeline: (properties) => { Object.assign(found.timeline, properties) },
    image: (name, column, values, shape, [left, right, bottom, top]) => {
      found.sources[name] = {
        [column]: [{values, shape}], x: [left], y: [bottom], dw: [right - left], dh: [top - bottom],
      }
    },
  }
}

// `show(i)` is all that event i needs, however the page was before: without the regret and the table
// of the run, as long as that is not whole. `window` holds the ranges of the decision plane if its axes stay.
// Its regret is drawn over that of the run `behind`: {regrets, label}.
export function createPage(run, words, layers, behind) {
  const replay = createReplay(run)
  const texts = layers.plain ? {...words.texts, ...words.plain} : words.texts
  const lexicon = {...words, texts}
  const main = replay.scene.columns.length === 1 ? createCurve : createField
  // Before and after f is revealed.
  const made = new Map()
  const make = (shown) => [main(replay, lexicon, shown), createTexts(replay, lexicon, shown),
    ...shown.plane ? [createPlane(replay, lexicon)] : [],
    ...isWhole(run) ? [createRegret(replay, lexicon, shown, behind)] : []]
  function viewsAt(i) {
    const shown = layersAt(layers, replay, i, words.asking?.reveal)
    if (!made.has(shown.secret)) { made.set(shown.secret, make(shown)) }
    return made.get(shown.secret)
  }
  const show = (i, window = null) => {
    const out = createOut(lexicon)
    const frame = replay.frame(i)
    const views = viewsAt(i)
    for (const view of views) { view.load?.(out) }
    for (const view of views) { view.update(frame, out, window) }
    return {...out.found, behind}
  }
  return {replay, show}
}
