// What a person has done of each lesson, {slug: {at, of, answers, asked, shares}}, in this browser only:
// event `at` of `of`, the first answers to the `asked` questions, and by event what the first places were worth.

const PROGRESS = "ucbpe-lessons"

const readProgress = () => stored("localStorage", PROGRESS)

function noteProgress(slug, news) {
  const all = readProgress()
  store("localStorage", PROGRESS, {...all, [slug]: {...all[slug], ...news}})
}

function forgetProgress() {
  try { localStorage.removeItem(PROGRESS) } catch { /* nothing is kept */ }
}

const percentOf = (share) => `${Math.round(100 * share)} %`
