// The points of an exercise, and the record of what was answered.

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
