// Sums over long arrays as loops: `reduce` is five times slower on typed arrays.

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
