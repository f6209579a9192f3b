// Experiments that this browser keeps. A table is large and never changes, a journal is small and
// changes at every step: they are two records. Each page writes a record of its own, so that two
// pages on one experiment cannot overwrite each other.

const HEADS = "heads"
const JOURNALS = "journals"
const RESUME = "ucbpe-resume" // in this tab's storage: the record that was on screen, to resume it

function opened() {
  return new Promise((done, refuse) => {
    const request = indexedDB.open("ucbpe-experiments", 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(HEADS, {keyPath: "identity"})
      request.result.createObjectStore(JOURNALS, {keyPath: "key"})
    }
    request.onsuccess = () => done(request.result)
    request.onerror = () => refuse(request.error)
    request.onblocked = () => refuse(new Error("blocked"))
  })
}

// Calls `use` with both stores; what it returns is there once all is written.
async function transact(mode, use) {
  const database = await opened()
  try {
    return await new Promise((done, refuse) => {
      const transaction = database.transaction([HEADS, JOURNALS], mode)
      let result
      transaction.oncomplete = () => done(result)
      transaction.onerror = transaction.onabort = () => refuse(transaction.error)
      use(transaction.objectStore(HEADS), transaction.objectStore(JOURNALS),
        (value) => { result = value })
    })
  } finally {
    database.close()
  }
}

// Writes a record; that which it goes on from goes, if no other page has written it since.
function keepRecord(head, record, origin) {
  return transact("readwrite", (heads, journals) => {
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
  return transact("readonly", (heads, journals, give) => {
    journals.getAll().onsuccess = ({target}) => {
      give(target.result.sort((one, other) => other.time.localeCompare(one.time)))
    }
  })
}

function keptText({identity, journal}) {
  return transact("readonly", (heads, journals, give) => {
    heads.get(identity).onsuccess = ({target}) => give(target.result.head + journal)
  })
}

function forgetRecord(record) {
  return transact("readwrite", (heads, journals) => {
    journals.delete(record.key)
    journals.getAll().onsuccess = ({target}) => {
      if (!target.result.some(({identity}) => identity === record.identity)) {
        heads.delete(record.identity)
      }
    }
  })
}

function forgetResume() {
  try { sessionStorage.removeItem(RESUME) } catch { /* Storage is denied: nothing is there. */ }
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
