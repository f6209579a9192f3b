// The engine in its worker, asked one thing at a time.

export function createEngine(source, live) {
  const worker = new Worker(URL.createObjectURL(new Blob([source], {type: "text/javascript"})))
  const waiting = new Map()
  let id = 0
  let refused = null
  const ask = (request) => new Promise((resolve) => {
    if (refused) { resolve(refused); return }
    waiting.set(++id, resolve)
    worker.postMessage({id, ...request})
  })
  // What a page around this one may forbid: events are played back all the same.
  worker.onerror = ({message}) => {
    if (message) { return } // by a request, which answers that itself
    refused = {error: "the page around it, or this browser, does not allow it"}
    for (const answer of waiting.values()) { answer(refused) }
    waiting.clear()
  }
  worker.onmessage = ({data}) => {
    waiting.get(data.id)(data)
    waiting.delete(data.id)
  }
  ask({kind: "open", live})
  return {ask}
}

// One request at a time; of those that come meanwhile the last is sent, for all who wait.
export function latestOf(ask) {
  let [busy, next, callers] = [false, null, []]
  const send = async () => {
    const [request, called] = [next, callers]
    busy = true
    next = null
    callers = []
    const answer = await ask(request)
    busy = false
    if (next) { send() }
    for (const call of called) { call(answer, next !== null) }
  }
  return (request, call) => {
    next = request
    callers.push(call)
    if (!busy) { send() }
  }
}
