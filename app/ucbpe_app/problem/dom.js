// What the controls of this page are made of. Texts are set as text: nothing is read as markup.

function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name in node) { node[name] = value } else { node.setAttribute(name, value) }
  }
  node.append(...children)
  return node
}

function button(label, properties) {
  return element("button", {type: "button", textContent: label, ...properties})
}

function faultLine() {
  return element("p", {className: "fault", role: "alert"})
}

// Draws now, and again when one of the values changes.
function follow(model, names, draw) {
  for (const name of names) { model.on(name, draw) }
  draw()
}
