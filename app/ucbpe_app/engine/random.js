// The standard normal numbers of numpy.random.default_rng([seed, t]): its SeedSequence, PCG64 and
// ziggurat of 256 layers. O'Neill 2014; Marsaglia and Tsang 2000.

const MASK = (1n << 128n) - 1n
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n
const POOL = 4

// Words of 32 bits that a list of such words seeds.
function createSequence(entropy) {
  const mixer = (start, multiplier) => {
    let constant = start
    return (value) => {
      const mixed = (value ^ constant) >>> 0
      constant = Math.imul(constant, multiplier) >>> 0
      const product = Math.imul(mixed, constant) >>> 0
      return (product ^ (product >>> 16)) >>> 0
    }
  }
  const hash = mixer(0x43b0d7e5, 0x931e8875)
  const mix = (one, other) => {
    const value = (Math.imul(0xca01f9dd, one) - Math.imul(0x4973f715, other)) >>> 0
    return (value ^ (value >>> 16)) >>> 0
  }
  const pool = Array.from({length: POOL}, (_, i) => hash(entropy[i] ?? 0))
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) {
      if (from !== to) { pool[to] = mix(pool[to], hash(pool[from])) }
    }
  }
  const out = mixer(0x8b51f9dd, 0x58f38ded)
  return Array.from({length: 8}, (_, i) => out(pool[i % POOL]))
}

// 64 bits at a time.
function createBits(entropy) {
  const words = createSequence(entropy).map(BigInt)
  const [high, low, incHigh, incLow] = [0, 2, 4, 6].map((i) => words[i] | (words[i + 1] << 32n))
  const increment = ((((incHigh << 64n) | incLow) << 1n) | 1n) & MASK
  const step = (state) => (state * MULTIPLIER + increment) & MASK
  let state = step((increment + ((high << 64n) | low)) & MASK)
  return () => {
    state = step(state)
    const folded = (state >> 64n) ^ (state & 0xffffffffffffffffn)
    const turn = state >> 122n
    return ((folded >> turn) | (folded << (64n - turn))) & 0xffffffffffffffffn
  }
}

// NumPy's widths of the layers over 2^52: doubles, as they follow from what it draws.
const WIDTHS = new Float64Array(Uint8Array.from(atob(
  "edkVeDtJzzzG9v3jC42LPLRbLDyvUJI8YTtEOLl8lTwMpy/o/AGYPLzQTC4MI5o892E4L00AnDx0cnRaL6ydPMPVTC1IMp88" +
  "rbuOJzJNoDxDXQI7BfWgPHc2QZemkqE89Rp6j6InojyA2GM4LrWiPPWRV8A/PKM8L7GiwZ69ozxVm/+N7zmkPKf+PTa7saQ8" +
  "dNMaYnUlpTyWzgengJWlPOp+2c8xAqY8PXyjYdJrpjxwBQCSotKmPKb4RtPaNqc8dyqzEK2YpzxD9UatRfinPHcKQ1PMVag8" +
  "mnZ7nmSxqDyYz06pLgupPOoeLIJHY6k8RsU4jsm5qTwsp6TczA6qPFnNd21nYqo8MBYQbq20qjycbBNtsQWrPCl6QoeEVas8" +
  "Op9Sjjakqzwygr8q1vGrPPNOWflwPqw8YTsypROKrDyLJnL+ydSsPEi3gA6fHq08EB/kKZ1nrTzDuCMAzq+tPFN28ak69608" +
  "/u3Stes9rjwAb3oz6YOuPM6C+b06ya48JmLwhOcNrzyI9thU9lGvPK7Xh55tla88rC76fVPYrzzsNELgVg2wPJqPOfVALrA8" +
  "/KUWnupOsDwQoHJbVm+wPAv0cZCGj7A8E2G8hH2vsDx/zEtmPc+wPGsIFkvI7rA87hWVMiAOsTy+DzEHRy2xPEGRjp8+TLE8" +
  "HiDEvwhrsTw02ngap4mxPIht7lEbqLE8yyr4+GbGsTwu1OCTi+SxPJ+gQJmKArI86cbEcmUgsjwfw+l9HT6yPPtrqQy0W7I8" +
  "f9MdZip5sjwb1xnHgZayPNouuGK7s7I8U7jhYtjQsjyOqcvo2e2yPNdIbg3BCrM8MLn04Y4nszyhXiZwRESzPNVSyrriYLM8" +
  "algFvmp9szxksrJv3ZmzPAM9uL87trM84B1WmIbSszyDWnLevu6zPHSe4HHlCrQ8XXSmLfsmtDykMDzoAEO0PF3HynP3XrQ8" +
  "NsNmnt96tDwvj0gyupa0PF1BAvaHsrQ83BGzrEnOtDwFpjgWAOq0PGJVXu+rBbU8WosK8k0htTxPZmrV5jy1PMiyG053WLU8" +
  "eF9VDgB0tTwUhQ7GgY+1PFkbJCP9qrU8PXN90XLGtTzTjC974+G1PDhen8hP/bU8wx+jYLgYtjyisKLoHTS2PAsmtwSBT7Y8" +
  "cpbJV+Jqtjw3MbGDQoa2PLGyUCmiobY8u0Oz6AG9tjxS0yhhYti2PFT4YTHE87Y862iL9ycPtzzGFGlRjiq3PNzucNz3Rbc8" +
  "H3PlNWVhtzxJ9O/61ny3PJO9ushNmLc8CRSLPMqztzz7ItvzTM+3POfec4zW6rc8H+qGpGcGuDx2hsjaACK4PBWfic6iPbg8" +
  "vfXRH05ZuDzFfnpvA3W4PC33R1/DkLg8Q8AFko6suDycDKGrZci4PCdqRFFJ5Lg8j7VzKToAuTxHgyjcOBy5PPwK7xJGOLk8" +
  "iqIDeWJUuTzu1XC7jnC5PDEqLonLjLk8v5k/kxmpuTws2dWMecW5PBF0byvs4bk8StL6JnL+uTySNvk5DBu6PFvIoiG7N7o8" +
  "iLsLnn9UujykqUpyWnG6PD0xoGRMjro8CPGfPlarujzO9VrNeMi6PDazi+G05bo8GqHDTwsDuzxbmJrwfCC7PAAM4KAKPrs8" +
  "Az3OQbVbuzwniT+5fXm7PDz35fFkl7s8biWF22u1uzyiwC5rk9O7PIOugZvc8bs8oBbsbEgQvDwtevDl1y68PBwNbhOMTbw8" +
  "BYfsCGZsvDwXpuvgZou8PKuiNr2Pqrw8kNY7x+HJvDw34GgwXum8PG6PizIGCb08IO83ENsovTxHxjMV3ki9PCPx55YQab08" +
  "pfvX9HOJvTxwbiCZCaq9PA5J/PjSyr08Ny5SldHrvTwc0kn7Bg2+PPZG6sR0Lr48iNHBmRxQvjwl/pcvAHK+PAq/KkshlL48" +
  "CG/3wIG2vjw6pxB2I9m+PKnsAWEI/L48IVPCijIfvzxtTbcPpEK/PGgBySBfZr88gpeJBGaKvzy/InEYu66/PIXnL9Jg0788" +
  "C/YYwVn4vzx1oNNH1A7APEfJjwKoIcA8qwKpg6k0wDzH9T5O2kfAPH6zrfY7W8A8aCanI9BuwDwXLmOPmILAPFSi6AiXlsA8" +
  "xMBxdc2qwDxI1O7RPb/APDA9qjTq08A8k2URz9TowDy2n6bv//3APEFwIARuE8E8NV27myEpwTxtCcRpHT/BPDsuYEhkVcE8" +
  "8+6dO/lrwTxhEtJ034LBPKzrTlYamsE8ji9/d62xwTyUpnGpnMnBPDmu5Pvr4cE8Adniwp/6wTyBzASdvBPCPO7Tb3pHLcI8" +
  "JJyspEVHwjzgWHbHvGHCPC5ZqPqyfMI8eA53zS6YwjxSCipTN7TCPJfbljHU0MI89XipsQ3uwjzurlbS7AvDPKOkaF57KsM8" +
  "oxKuBcRJwzxAqDN60mnDPApBVpKzisM8+oiucHWswzymBBezJ8/DPHX0YKrb8sM82uW5nKQXxDyUXlQVmD3EPBU6p0TOZMQ8" +
  "vEOcdWKNxDwnWmudc7fEPAKJzQ0l48Q8QazpU58QxTxCfjpSEUDFPBvkSqmxccU82Y1xi8ClxTz+0DokitzFPEwehs9pFsY8" +
  "6moAe85TxjzD5Z++QJXGPDLiCY1r28Y8NHpf8CgnxzxzBglWlXnHPIzO1vQt1Mc8NPIpBQM5yDwUfKq/D6vIPJZEb5TgLsk8" +
  "q1dAAe7LyTxad5R43I/KPLH9eDgfmMs8M60JgrQ7zTw="
), (letter) => letter.charCodeAt(0)).buffer)
const UNIT = 2 ** 52
const edges = WIDTHS.map((one) => one * UNIT)
const TAIL = edges[255]
// A layer is 0 at the bottom, 1 at the top, and below it 2 to 255.
const inner = WIDTHS.map((_, i) => [TAIL / edges[0] * UNIT, 0][i] ?? edges[i - 1] / edges[i] * UNIT)
const heights = edges.map((one, i) => (i ? Math.exp(-0.5 * one * one) : 1))

// `normal()` is the next number of the stream of a seed below 2^32 and a batch.
export function createNormal(seed, t) {
  const bits = createBits([seed, t])
  const uniform = () => Number(bits() >> 11n) * 2 ** -53
  const tail = () => {
    for (;;) {
      const x = -Math.log1p(-uniform()) / TAIL
      const y = -Math.log1p(-uniform())
      if (y + y > x * x) { return TAIL + x }
    }
  }
  return () => {
    for (;;) {
      const word = bits()
      const layer = Number(word & 255n)
      const sign = (word >> 8n) & 1n ? -1 : 1
      const place = Number((word >> 9n) & 0xfffffffffffffn)
      const x = place * WIDTHS[layer]
      if (place < inner[layer]) { return sign * x }
      // The sign of the tail is another bit.
      if (layer === 0) { return ((word >> 17n) & 1n ? -1 : 1) * tail() }
      const height = heights[layer] + (heights[layer - 1] - heights[layer]) * uniform()
      if (height < Math.exp(-0.5 * x * x)) { return sign * x }
    }
  }
}
