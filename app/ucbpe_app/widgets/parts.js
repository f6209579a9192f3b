// Sends bytes to the server in parts: a message that is too long would close the connection.

const PART = 512 * 1024 // bytes

function base64(bytes) {
  let text = ""
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  }
  return btoa(text)
}

function sendInParts(model, name, bytes) {
  const id = Math.random().toString(36).slice(2)
  const parts = Math.max(1, Math.ceil(bytes.length / PART))
  for (let part = 0; part < parts; part += 1) {
    const data = base64(bytes.subarray(part * PART, (part + 1) * PART))
    model.send_msg({id, name, part, parts, data})
  }
}

// Sends a file or a text. One that is too large is not sent, and never cut.
async function sendFile(model, name, blob, fault) {
  const [most, got] = [model.limit, blob.size].map((size) => (size / 1e6).toPrecision(2) * 1)
  const fits = blob.size <= model.limit
  fault.textContent = fits ? "" : `Expected at most ${most} MB; got ${got} MB. It was not read.`
  if (fits) { sendInParts(model, name, new Uint8Array(await blob.arrayBuffer())) }
}
