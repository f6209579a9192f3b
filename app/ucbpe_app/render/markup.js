// Replaces what differs and leaves the rest: at most steps a legend changes by a word, and the browser
// would read, lay out and paint all of it again.
function become(node, wanted) {
  const children = [...wanted.childNodes]
  while (node.childNodes.length > children.length) { node.lastChild.remove() }
  children.forEach((child, i) => {
    const present = node.childNodes[i]
    if (!present) {
      node.append(child)
    } else if (present.isEqualNode(child)) {
      return
    } else if (present.nodeName === child.nodeName && child.hasChildNodes()) {
      for (const {name} of [...present.attributes]) {
        if (!child.hasAttribute(name)) { present.removeAttribute(name) }
      }
      for (const {name, value} of child.attributes) {
        if (present.getAttribute(name) !== value) { present.setAttribute(name, value) }
      }
      become(present, child)
    } else {
      present.replaceWith(child)
    }
  })
}

export function render({model, el}) {
  const write = () => {
    const wanted = document.createElement("template")
    wanted.innerHTML = model._html
    become(el, wanted.content)
  }
  model.on("_html", write)
  write()
}
