// An element with attributes and children.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.append(...children)
  return node
}
