// Guesses of an exercise: their points, the record of what was answered, and the lesson's pictures.

const FULL = 0.02 // the best of the candidates that a pick could be, which have all points;
const NONE = 0.5 // and from here on none. Between them points fall evenly with the rank.

function pointsOf({ranks, size, pick}, guess) {
  const rank = ranks[guess], full = Math.max(1, Math.ceil(FULL * size)), none = NONE * size
  if (guess === pick || (rank > 0 && rank <= full)) { return 1 }
  return rank === 0 || rank >= none ? 0 : (none - rank) / (none - full)
}

function pointsOfAnswer({choices, right, number, tolerance}, answer) {
  if (choices) { return answer === right ? 1 : 0 }
  return Math.abs(answer - number) <= tolerance + 1e-9 * Math.abs(number) ? 1 : 0
}

const inWords = (points) => `${Math.round(10 * points) / 10}`

// What was answered: of each round the guess, and of the question the answer; a text saves it.
function createRecord({run, rounds, question}) {
  const total = rounds.length + (question ? 1 : 0)
  const answers = []
  const points = (i) => (i < rounds.length ? pointsOf(rounds[i], answers[i])
    : pointsOfAnswer(question, answers[i]))
  const record = {
    answers, total, points,
    get next() { return answers.length },
    get done() { return answers.length === total },
    get sum() { return answers.reduce((sum, _, i) => sum + points(i), 0) },
    get percent() { return 100 * record.sum / total },
    get text() { return JSON.stringify({v: 1, run: run.slice(0, 16), answers}) },
    // Of another run, or of a text that is none, nothing is taken; whether it was.
    restore: (text) => {
      try {
        const saved = JSON.parse(text)
        const fits = saved.v === 1 && saved.run === run.slice(0, 16) &&
          saved.answers.length <= total && saved.answers.every(Number.isFinite)
        if (fits) { answers.push(...saved.answers) }
        return fits
      } catch { return false }
    },
  }
  return record
}

// In the pictures: the candidate nearest to a click, and the mark that shows it.

function createPictures({picture, places, size}, figures, onGuess) {
  const models = [...new Set(figures.roots().flatMap((root) => [...root.references()]))]
  const plots = models.filter((one) => one.css_classes?.includes?.(`lab-at-${picture}`))
  const across = picture === "plane" ? "std" : "x"
  const upwards = {curve: ["mean", "std"], field: ["y"], plane: ["mean"]}[picture]
  const marked = plots.flatMap((plot) => plot.renderers.map(({data_source}) => data_source))
  const sources = [...new Set(marked.filter(({name}) => name === "pointed"))]
  let axes = null // a column of numbers for each column that is drawn

  const nearest = (plot, x, y) => {
    const [dx, dy] = [[plot.x_range, plot.inner_width], [plot.y_range, plot.inner_height]]
      .map(([range, length]) => Math.abs(range.end - range.start) / Math.max(1, length))
    const along = axes[across], upward = picture === "curve" ? null : axes[upwards[0]]
    let [best, least] = [-1, Infinity]
    for (let i = 0; i < size; i++) {
      const right = (along[i] - x) / dx, up = upward ? (upward[i] - y) / dy : 0
      const distance = right * right + up * up
      if (distance < least) { [best, least] = [i, distance] }
    }
    return best
  }
  for (const plot of plots) {
    const guess = ({x, y}) => {
      if (axes && Number.isFinite(x)) { onGuess(nearest(plot, x, y)) }
    }
    // A second click within 300 ms, wherever it is, is a "doubletap".
    for (const name of ["tap", "doubletap"]) { plot.on_event(name, guess) }
  }
  return {
    // Where candidates are while a round is asked, and then while its pick is shown.
    place: (round, shown) => {
      const at = Number(shown)
      axes = round && {x: places[0], y: places[1], mean: round.mean[at], std: round.std[at]}
    },
    draw: (guess) => {
      const at = (name) => (guess === null || !axes ? [] : [axes[name][guess]])
      sources.forEach((source, i) => source.setv({data: {x: at(across), y: at(upwards[i])}}))
    },
  }
}
