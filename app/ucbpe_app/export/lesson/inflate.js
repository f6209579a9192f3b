// Inflate (RFC 1951, in the wrapper of RFC 1950), for browsers that cannot do it themselves.

const LENGTHS = {base: 3, extra: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4,
  4, 5, 5, 5, 5]}
const DISTANCES = {base: 1, extra: [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9,
  10, 10, 11, 11, 12, 12, 13, 13]}
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

const firsts = ({base, extra}) => extra.map((_, i) => (
  extra.slice(0, i).reduce((sum, bits) => sum + 2 ** bits, base)))

// How many codes there are of each length, and their symbols in order.
function codebook(lengths) {
  const counts = new Uint16Array(16)
  for (const length of lengths) { counts[length]++ }
  counts[0] = 0
  const symbols = [...lengths.keys()].filter((symbol) => lengths[symbol] > 0)
  symbols.sort((a, b) => lengths[a] - lengths[b] || a - b)
  return {counts, symbols}
}

const FIXED = [
  codebook(Array.from({length: 288}, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  codebook(Array(30).fill(5)),
]

function inflate(bytes, size) {
  const lengthFirsts = [...firsts(LENGTHS), 258], distanceFirsts = firsts(DISTANCES)
  const lengthExtra = [...LENGTHS.extra, 0]
  const out = new Uint8Array(size)
  let at = 16, end = 0 // the wrapper's two bytes are behind us; `at` counts bits
  const bit = () => {
    const value = (bytes[at >> 3] >> (at & 7)) & 1
    at++
    return value
  }
  const bits = (count) => {
    let value = 0
    for (let i = 0; i < count; i++) { value |= bit() << i }
    return value
  }
  const symbol = ({counts, symbols}) => {
    let code = 0, first = 0, index = 0
    for (let length = 1; length < 16; length++) {
      code |= bit()
      if (code - counts[length] < first) { return symbols[index + code - first] }
      index += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    throw new Error("the recording is damaged")
  }
  const stored = () => {
    at = (at + 7) & ~7
    const count = bits(16)
    at += 16
    out.set(bytes.subarray(at >> 3, (at >> 3) + count), end)
    at += 8 * count
    end += count
  }
  const dynamic = () => {
    const [literals, distances, used] = [bits(5) + 257, bits(5) + 1, bits(4) + 4]
    const own = Array(19).fill(0)
    for (let i = 0; i < used; i++) { own[ORDER[i]] = bits(3) }
    const book = codebook(own), lengths = []
    while (lengths.length < literals + distances) {
      const found = symbol(book)
      const [count, value] = found < 16 ? [1, found] : found === 16 ? [3 + bits(2), lengths.at(-1)]
        : [found === 17 ? 3 + bits(3) : 11 + bits(7), 0]
      for (let i = 0; i < count; i++) { lengths.push(value) }
    }
    return [codebook(lengths.slice(0, literals)), codebook(lengths.slice(literals))]
  }
  const compressed = ([literals, distances]) => {
    for (let found = symbol(literals); found !== 256; found = symbol(literals)) {
      if (found < 256) {
        out[end++] = found
        continue
      }
      const length = lengthFirsts[found - 257] + bits(lengthExtra[found - 257])
      const far = symbol(distances)
      const distance = distanceFirsts[far] + bits(DISTANCES.extra[far])
      for (let i = 0; i < length; i++, end++) { out[end] = out[end - distance] }
    }
  }
  for (let last = 0; !last;) {
    last = bit()
    const kind = bits(2)
    if (kind === 0) { stored() } else { compressed(kind === 1 ? FIXED : dynamic()) }
  }
  return out
}
