// Long arrays. Sums are loops: `reduce` is five times slower on typed arrays.

// Lowest and highest.
export function extent(array) {
  let [low, high] = [Infinity, -Infinity]
  for (let i = 0; i < array.length; i++) {
    if (array[i] < low) { low = array[i] }
    if (array[i] > high) { high = array[i] }
  }
  return [low, high]
}

export const largest = (array) => extent(array)[1]

// How many are in a set.
export function sizeOf(mask) {
  let size = 0
  for (let i = 0; i < mask.length; i++) { size += mask[i] }
  return size
}

// The coordinates along each input of a grid of two, the second input fastest.
export const axesOf = ([first, second], [nx, ny]) => (
  [Float64Array.from({length: nx}, (_, i) => first[i * ny]), second.slice(0, ny)])
