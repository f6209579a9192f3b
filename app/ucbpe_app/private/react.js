// What Panel does for its React components, and is done otherwise here.
//
// - A component writes each value that it has painted back to its model. When the server has sent
//   another by then, which is common while a number is dragged on a slow machine, that write would
//   undo it: the server would take it for something typed. Such writes are dropped.
// - For each value that a component paints, it makes an object of all attributes of its model, twice:
//   a quarter of the time of painting. It is given one object, whose attributes are always those of the model.

const REACT = "panel.models.esm.ReactComponent"
const FORGET_AFTER = 1000 // ms; counted by the thread that paints, and so as late as it is

function setUpReact() {
  const {HasProps} = Bokeh.require("core/has_props"), {Model} = Bokeh.require("model")
  const {prototype} = HasProps, {setv} = prototype
  const {get: allOf} = Object.getOwnPropertyDescriptor(prototype, "attributes")
  if (prototype.isSetUp) { return }
  prototype.isSetUp = true
  const ofReact = new WeakMap() // by class of model
  const attributes = new WeakMap() // by model
  const sent = new WeakMap() // by model and name: the server's values, each until one after it is painted

  const isOfReact = (model) => {
    const type = model.constructor
    if (Object.getPrototypeOf(type) !== Model || !model.document) { return false }
    if (!ofReact.has(type)) {
      const owners = [...model.document.all_models]
      ofReact.set(type, owners.some((one) => one.type === REACT && one.data?.constructor === type))
    }
    return ofReact.get(type)
  }
  const remember = (model, name, value) => {
    if (!sent.has(model)) { sent.set(model, new Map()) }
    const names = sent.get(model)
    const {values = [], timer} = names.get(name) ?? {}
    clearTimeout(timer)
    names.set(name, {
      values: [...values, value],
      timer: setTimeout(() => names.delete(name), FORGET_AFTER),
    })
  }
  // Whether the server has replaced a value since it sent it; what is older cannot come any more.
  const isEcho = (model, name, value) => {
    const values = sent.get(model)?.get(name)?.values ?? []
    const painted = values.indexOf(value)
    const last = painted === values.length - 1
    values.splice(0, painted < 0 ? values.length : painted + 1)
    return painted >= 0 && !last
  }
  prototype.setv = function(changes, options) {
    if (isOfReact(this)) {
      const entries = Object.entries(changes)
      if (options?.sync === false) {
        for (const [name, value] of entries) { remember(this, name, value) }
      } else if (entries.length === 1 && isEcho(this, ...entries[0])) {
        return
      }
    }
    setv.call(this, changes, options)
  }

  const attributesOf = (model) => {
    const {properties} = model
    const has = (_, name) => Object.hasOwn(properties, name) && !properties[name].is_unset
    return new Proxy({}, {
      has,
      get: (_, name) => (has(_, name) ? properties[name].get_value() : undefined),
      ownKeys: () => Reflect.ownKeys(allOf.call(model)),
      getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(allOf.call(model), name),
    })
  }
  Object.defineProperty(prototype, "attributes", {configurable: true, get() {
    if (!isOfReact(this)) { return allOf.call(this) }
    if (!attributes.has(this)) { attributes.set(this, attributesOf(this)) }
    return attributes.get(this)
  }})
}
