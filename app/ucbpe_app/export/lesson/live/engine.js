// The engine in its worker, asked one thing at a time.

export function createEngine(source, live) {
  const worker = new Worker(URL.createObjectURL(new Blob([source], {type: "text/javascript"})))
  const waiting = new Map()
  let id = 0
  const ask = (request) => new Promise((resolve) => {
    waiting.set(++id, resolve)
    worker.postMessage({id, ...request})
  })
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
