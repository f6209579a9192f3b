// Copying a text, where a page may and where it may not.

// Only pages from https or this machine have a clipboard; a lecture hall's server may have neither.
function copySelected(text) {
  const area = document.createElement("textarea")
  area.value = text
  area.style.cssText = "position: fixed; opacity: 0"
  document.body.append(area)
  area.select()
  const copied = document.execCommand("copy")
  area.remove()
  return copied
}

// Whether the text is in the clipboard now.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}
