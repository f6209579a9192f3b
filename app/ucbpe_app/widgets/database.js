// The databases of this browser: each has its name, and the key of each of its stores.

function opened({name, stores}) {
  return new Promise((done, refuse) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      for (const [store, keyPath] of Object.entries(stores)) {
        request.result.createObjectStore(store, {keyPath})
      }
    }
    request.onsuccess = () => done(request.result)
    request.onerror = () => refuse(request.error)
    request.onblocked = () => refuse(new Error("blocked"))
  })
}

// Calls `use` with a function and the stores; what it gives to that is there once all is written.
async function transact(which, mode, use) {
  const database = await opened(which)
  try {
    return await new Promise((done, refuse) => {
      const names = Object.keys(which.stores)
      // Reported as stored only once it is on the disk: a week of measurements outlives a power cut.
      const transaction = database.transaction(names, mode, {durability: "strict"})
      let result
      transaction.oncomplete = () => done(result)
      transaction.onerror = transaction.onabort = () => refuse(transaction.error)
      use((value) => { result = value }, ...names.map((name) => transaction.objectStore(name)))
    })
  } finally {
    database.close()
  }
}
