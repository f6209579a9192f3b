// What is printed is what is on screen, in the page's own colours. A print lays the page out anew, at
// once and by the width of the paper, but not Bokeh's pictures, which notice a new size later: they
// keep the one that they have, on paper as wide as the window, which the printer makes smaller.

const UPRIGHT = Math.SQRT2 // height by width

function* figures(root) {
  for (const node of root.querySelectorAll("*")) {
    if (node.matches(".bk-Figure, .lab-pictures, .regret")) { yield node }
    if (node.shadowRoot) { yield* figures(node.shadowRoot) }
  }
}

function listenForPaper() {
  const style = document.createElement("style")
  let kept = []
  const before = () => {
    const width = window.innerWidth
    style.textContent = `
      @page { size: ${width}px ${Math.ceil(UPRIGHT * width)}px; margin: 0; }
      @media print { :root { print-color-adjust: exact; } }`
    document.head.append(style)
    const sizes = [...figures(document)].map((node) => [node, node.getBoundingClientRect()])
    kept = sizes.map(([node]) => [node, node.style.cssText])
    for (const [node, size] of sizes) {
      node.style.setProperty("width", `${size.width}px`, "important")
      if (node.matches(".bk-Figure")) { node.style.setProperty("height", `${size.height}px`, "important") }
    }
  }
  const after = () => {
    style.remove()
    for (const [node, text] of kept) { node.style.cssText = text }
    kept = []
  }
  window.addEventListener("beforeprint", before)
  window.addEventListener("afterprint", after)
  return () => {
    after()
    window.removeEventListener("beforeprint", before)
    window.removeEventListener("afterprint", after)
  }
}
