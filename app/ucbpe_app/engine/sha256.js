// SHA-256 (FIPS 180-4). A page opened from a file may have no crypto.subtle.

const primes = []
for (let n = 2; primes.length < 64; n++) { if (primes.every((p) => n % p)) { primes.push(n) } }
// The first 32 bits of the fractions of roots of primes, by integers: floating point has too few.
function rootFraction(prime, power) {
  const scaled = BigInt(prime) << BigInt(32 * power)
  let root = BigInt(Math.floor(prime ** (1 / power) * 2 ** 32))
  while (root ** BigInt(power) > scaled) { root -= 1n }
  while ((root + 1n) ** BigInt(power) <= scaled) { root += 1n }
  return Number(root & 0xffffffffn) | 0
}
const START = primes.slice(0, 8).map((prime) => rootFraction(prime, 2))
const ROUNDS = primes.map((prime) => rootFraction(prime, 3))

function padded(bytes) {
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const all = new Uint8Array(length)
  all.set(bytes)
  all[bytes.length] = 0x80
  new DataView(all.buffer).setBigUint64(length - 8, BigInt(8 * bytes.length))
  return all
}

const turn = (word, by) => (word >>> by) | (word << (32 - by))

function schedule(view, at) {
  const words = new Int32Array(64)
  for (let i = 0; i < 16; i++) { words[i] = view.getInt32(at + 4 * i) }
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15], words[i - 2]]
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[i] = words[i - 16] + first + words[i - 7] + second
  }
  return words
}

// The digest of bytes, 64 hexadecimal digits.
export function sha256(bytes) {
  const all = padded(bytes)
  const view = new DataView(all.buffer)
  let state = START
  for (let at = 0; at < all.length; at += 64) {
    const words = schedule(view, at)
    let [a, b, c, d, e, f, g, h] = state
    for (let i = 0; i < 64; i++) {
      const choice = (e & f) ^ (~e & g)
      const majority = (a & b) ^ (a & c) ^ (b & c)
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + ROUNDS[i] + words[i] | 0
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority | 0
      ;[a, b, c, d, e, f, g, h] = [one + two | 0, a, b, c, d + one | 0, e, f, g]
    }
    state = [a, b, c, d, e, f, g, h].map((word, i) => (word + state[i]) | 0)
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}
