// The natural logarithm, correctly rounded. beta_t is part of a run's digest, bit for bit, and
// Math.log may be off by a unit in the last place.

const BITS = 160n
const ONE = 1n << BITS

// 2 artanh(p / q) in units of 2^-BITS, for |p / q| <= 1/3.
function doubledArtanh(p, q) {
  let power = 2n * ((p << BITS) / q)
  const square = (p * p << BITS) / (q * q)
  let total = 0n
  for (let odd = 1n; power !== 0n && power !== -1n; odd += 2n) {
    total += power / odd
    power = (power * square) >> BITS
  }
  return total
}

const LOG_2 = doubledArtanh(1n, 3n)

// A positive double as mantissa * 2^exponent, the mantissa an integer of 53 bits.
function parts(x) {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const exponent = Number(bits >> 52n)
  const mantissa = bits & ((1n << 52n) - 1n)
  return exponent === 0 ? [mantissa, -1074] : [mantissa | (1n << 52n), exponent - 1075]
}

// log x for 0 < x < infinity: k log 2 + log m, with x = 2^k m and m between 3/4 and 3/2.
export function log(x) {
  if (!(x > 0 && x < Infinity)) { return Math.log(x) }
  const [mantissa, exponent] = parts(x)
  let width = mantissa.toString(2).length
  if (mantissa * 4n < 3n << BigInt(width)) { width -= 1 }
  const unit = 1n << BigInt(width)
  const total = BigInt(exponent + width) * LOG_2 + doubledArtanh(mantissa - unit, mantissa + unit)
  return Number(total) / Number(ONE)
}
