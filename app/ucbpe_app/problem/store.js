// Experiments that this browser keeps. A table is large and never changes, a journal is small and
// changes at every step: they are two records. Each page writes a record of its own, so that two
// pages on one experiment cannot overwrite each other.

const EXPERIMENTS = {name: "ucbpe-experiments", stores: {heads: "identity", journals: "key"}}
// In this tab's storage, keys of records: of that on screen, and of one to resume at once, whatever
// step of the page is on screen.
const ON_SCREEN = "ucbpe-on-screen"
const RESUME = "ucbpe-resume"

// Writes a record; that which it goes on from goes, if no other page has written it since.
function keepRecord(head, record, origin) {
  return transact(EXPERIMENTS, "readwrite", (_, heads, journals) => {
    heads.put({identity: record.identity, head})
    journals.put(record)
    if (origin && origin.key !== record.key) {
      journals.get(origin.key).onsuccess = ({target}) => {
        if (target.result?.time === origin.time) { journals.delete(origin.key) }
      }
    }
  })
}

function keptRecords() {
  return transact(EXPERIMENTS, "readonly", (give, heads, journals) => {
    journals.getAll().onsuccess = ({target}) => {
      give(target.result.sort((one, other) => other.time.localeCompare(one.time)))
    }
  })
}

function keptText({identity, journal}) {
  return transact(EXPERIMENTS, "readonly", (give, heads, journals) => {
    heads.get(identity).onsuccess = ({target}) => give(target.result.head + journal)
  })
}

function forgetRecord(record) {
  return transact(EXPERIMENTS, "readwrite", (_, heads, journals) => {
    journals.delete(record.key)
    journals.getAll().onsuccess = ({target}) => {
      if (!target.result.some(({identity}) => identity === record.identity)) {
        heads.delete(record.identity)
      }
    }
  })
}

function forgetResume() {
  try {
    for (const name of [RESUME, ON_SCREEN]) { sessionStorage.removeItem(name) }
  } catch { /* Storage is denied: nothing is there. */ }
}

// A reload then comes back to this record; in a private window it is in no list either.
function noteOnScreen(key, name = ON_SCREEN) {
  try { sessionStorage.setItem(name, key) } catch { /* It is in the list to resume. */ }
}

// The key of the record to resume, if one is: the last on screen only where the address says so.
function keyToResume() {
  const step = new URLSearchParams(window.location.search).get("step")
  return sessionStorage.getItem(RESUME) ??
    (step === "experiment" ? sessionStorage.getItem(ON_SCREEN) : null)
}

function clock(time) {
  return new Date(time).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"})
}

function download(name, text, type) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], {type}))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
}
