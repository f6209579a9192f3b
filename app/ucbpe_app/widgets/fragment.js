// The nodes of HTML that Python has made: an `Html`, in which texts are escaped.
function fragment(html) {
  const template = document.createElement("template")
  template.innerHTML = html
  return template.content
}
