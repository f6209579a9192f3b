// What a person has done of each lesson, {slug: {at, of, answers, asked, shares}}, in this browser only:
// event `at` of `of`, the first answers to the `asked` questions, and by event what the first places were worth.

const PROGRESS = "ucbpe-lessons"

// Where storage is denied, or was written by something else, nothing was done.
function readProgress() {
  try { return Object(JSON.parse(localStorage.getItem(PROGRESS))) } catch { return {} }
}

function noteProgress(slug, news) {
  const all = readProgress()
  try {
    localStorage.setItem(PROGRESS, JSON.stringify({...all, [slug]: {...all[slug], ...news}}))
  } catch { /* as above */ }
}

function forgetProgress() {
  try { localStorage.removeItem(PROGRESS) } catch { /* as above */ }
}

const percentOf = (share) => `${Math.round(100 * share)} %`
