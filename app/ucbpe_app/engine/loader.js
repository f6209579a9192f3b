// Loads modules of these texts, by name, where nothing serves them: each becomes a blob, in which
// what it imports as "./name" are blobs, too. This is no module itself: a page has it as a script, and
// so has a worker, which has to make its own blobs, as those of a page from the disk are closed to it.
function loaderOf(texts) {
  const urls = {}
  const imported = (text) => Object.keys(texts).filter((name) => text.includes(`"./${name}"`))
  const urlOf = (name) => {
    urls[name] ??= URL.createObjectURL(new Blob([imported(texts[name])
      .reduce((text, other) => text.replaceAll(`"./${other}"`, `"${urlOf(other)}"`), texts[name])],
    {type: "text/javascript"}))
    return urls[name]
  }
  return (name) => import(urlOf(name))
}
