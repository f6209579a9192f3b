// Functions of the visitor's own that this browser keeps, a table each, by name.

const FUNCTIONS = {name: "ucbpe-functions", stores: {functions: "name"}}
const MOST = 50 // and at most so many letters together, besides the last; the oldest go
const MOST_LETTERS = 50e6

function keepFunction(name, text) {
  return transact(FUNCTIONS, "readwrite", (_, functions) => {
    functions.put({name, text, time: Date.now()})
    functions.getAll().onsuccess = ({target}) => {
      let letters = 0
      target.result.sort((one, other) => other.time - one.time).forEach((record, place) => {
        letters += record.text.length
        if (place && (place >= MOST || letters > MOST_LETTERS)) { functions.delete(record.name) }
      })
    }
  })
}

function keptFunction(name) {
  return transact(FUNCTIONS, "readonly", (give, functions) => {
    functions.get(name).onsuccess = ({target}) => give(target.result?.text)
  })
}

export function render({model}) {
  const keep = async () => {
    const {name, text} = model.kept
    // Where storage is denied, the other pages open it as long as the server has it.
    try { if (name) { await keepFunction(name, text) } } catch { /* as above */ }
  }
  const bring = async () => {
    const {wanted} = model
    let text = null
    try { text = await keptFunction(wanted) } catch { /* as above */ }
    if (text) {
      sendInParts(model, wanted, new TextEncoder().encode(text))
    } else {
      model.send_msg({missing: wanted})
    }
  }
  rememberTheme(model)
  model.on("kept", keep)
  keep()
  if (model.wanted) { bring() }
  return document.createElement("div")
}
