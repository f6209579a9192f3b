// Where no lesson is on screen, there is no number of it to press: a button opens the shelves.

export function render() {
  const button = document.createElement("button")
  button.className = "in-bar"
  button.type = "button"
  button.textContent = "All lessons"
  button.addEventListener("click", () => window.dispatchEvent(new Event("lab:shelves")))
  return button
}
