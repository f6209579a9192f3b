export function render({model, el}) {
  const write = () => {
    el.innerHTML = model.object
  }
  model.on("object", write)
  write()
}
