"""A page that may not compute runs: a policy forbids it workers, and scripts of its own."""

NO_ENGINE = """
window.Worker = class { constructor() { throw new Error("no") } }
window.Blob = class extends Blob {
  constructor(parts, options) {
    super(String(parts).includes("function answer(") ? ["forbidden!"] : parts, options)
  }
}
"""
