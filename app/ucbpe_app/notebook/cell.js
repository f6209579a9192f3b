// Shows the run of a cell as a live lesson, in a frame of its own. Where no script runs, or a browser
// cannot read it, the picture next to it is seen.

(async () => {
  // How JupyterLab, VS Code and Colab say which theme they have; elsewhere it is the system's.
  const SAYS_DARK = '[data-jp-theme-light="false"], .vscode-dark, html[theme="dark"]'
  const SAYS_LIGHT = '[data-jp-theme-light="true"], .vscode-light, html[theme="light"]'
  const theme = document.querySelector(SAYS_DARK) ? "dark"
    : document.querySelector(SAYS_LIGHT) ? "light" : ""
  const cell = document.currentScript.closest(".ucbpe-cell")
  const packed = cell.querySelector(".ucbpe-run").textContent
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))
  const frame = document.createElement("iframe")
  frame.className = "ucbpe-frame"
  frame.title = "Every event of the run, to step through"
  const page = await new Response(stream).text()
  frame.srcdoc = page.replace("<body>", `<body data-theme="${theme}">`)
  cell.append(frame)
})()
