// Where no lesson is on screen, there is no number of it to press: a button opens the shelves.

export function render() {
  const button = element("button", {type: "button", class: "in-bar"}, "All lessons")
  button.addEventListener("click", () => window.dispatchEvent(new Event("lab:shelves")))
  return button
}
