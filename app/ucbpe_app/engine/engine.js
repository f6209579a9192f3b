// The engine, asked from a page, by the texts of its modules.

const REFUSED = {refused: true, error: "error.refused"}
const WORKER = `
  let engine = null
  self.onmessage = async ({data: {texts, id, request}}) => {
    engine ??= loaderOf(texts)("answers.js").catch(() => ({answer: () => (${JSON.stringify(REFUSED)})}))
    const {answer} = await engine
    if (request) { self.postMessage({id, ...answer(request)}) }
  }`

function workerOf(texts) {
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([texts["loader.js"], WORKER], {type: "text/javascript"})))
    worker.postMessage({texts})
    return worker
  } catch {
    return null
  }
}

// In a worker of its own, while the page goes on.
export function createEngine(texts) {
  const worker = workerOf(texts)
  const waiting = new Map()
  let id = 0
  let refused = worker ? null : REFUSED
  const ask = (request) => new Promise((resolve) => {
    if (refused) { resolve(refused); return }
    waiting.set(++id, resolve)
    worker.postMessage({id, request})
  })
  const end = () => worker?.terminate()
  if (refused) { return {ask, end} }
  // What a page around this one may forbid: events are played back all the same.
  worker.onerror = ({message}) => {
    if (message) { return } // by a request, which answers that itself
    refused = REFUSED
    for (const answer of waiting.values()) { answer(refused) }
    waiting.clear()
  }
  worker.onmessage = ({data}) => {
    waiting.get(data.id)(data)
    waiting.delete(data.id)
  }
  return {ask, end}
}

// In the page itself, which waits: for what is short. A worker's answer is a frame late.
export function createEngineInPage(load) {
  const module = load("answers.js").catch(() => ({answer: () => REFUSED}))
  return {ask: async (request) => (await module).answer(request)}
}

// Asks an engine to show, one request at a time; of requests that come meanwhile the last is sent, for
// all who wait.
export function latestOf({ask}) {
  let [busy, next, callers] = [false, null, []]
  const send = async () => {
    const [request, called] = [next, callers]
    busy = true
    next = null
    callers = []
    const answer = await ask({kind: "show", ...request})
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
