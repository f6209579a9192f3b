// An element with attributes and children.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.append(...children)
  return node
}

// Of a call that several params ask for, one: when all have changed that come with one message of the server.
function once(call) {
  let isDue = false
  return () => {
    if (isDue) { return }
    isDue = true
    queueMicrotask(() => { isDue = false; call() })
  }
}
