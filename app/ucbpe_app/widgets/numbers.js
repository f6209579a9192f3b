// Numbers and places as they are written on screen: ucbpe_app.run.sentences.texts.

// Digits and exponent of a number, a tie rounded to the even digit as Python does.
function scientific(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e")
  const exact = value.toExponential(60).split("e")[0].replace(/[-.]/g, "")
  const last = Number(mantissa.at(-1))
  if (last % 2 && /^50*$/.test(exact.slice(digits)) && exact[digits - 1] !== mantissa.at(-1)) {
    return [mantissa.slice(0, -1) + (last - 1), Number(exponent)]
  }
  return [mantissa, Number(exponent)]
}

// Python's format(value, ".{digits}g").
export function general(value, digits) {
  if (!Number.isFinite(value)) { return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf" }
  if (value === 0) { return Object.is(value, -0) ? "-0" : "0" }
  const [mantissa, exponent] = scientific(value, digits)
  if (exponent < -4 || exponent >= digits) {
    const power = String(Math.abs(exponent)).padStart(2, "0")
    return `${shorn(mantissa)}e${exponent < 0 ? "-" : "+"}${power}`
  }
  const sign = value < 0 ? "-" : ""
  const all = mantissa.replace(/[-.]/g, "")
  if (exponent < 0) { return shorn(`${sign}0.${"0".repeat(-exponent - 1)}${all}`) }
  const whole = all.slice(0, exponent + 1)
  const rest = all.slice(exponent + 1)
  return shorn(rest ? `${sign}${whole}.${rest}` : `${sign}${whole}`)
}

const shorn = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text)

// Python's format(value, ".0f").
function whole(value) {
  const below = Math.floor(value)
  const up = value - below > 0.5 || (value - below === 0.5 && below % 2 !== 0)
  return String(up ? below + 1 : below)
}

export function number(value) {
  const size = Math.abs(value)
  const text = size >= 1000 && size < 1e6 ? whole(value) : general(value, 3)
  return text.replaceAll("-", "−")
}

export function percent(share) {
  const hundredth = 100 * share
  return `${hundredth >= 10 || hundredth === 0 ? whole(hundredth) : general(hundredth, 2)} %`
}

function coordinate(value, extent) {
  const size = Math.abs(value)
  if (size <= 1e-9 * extent) { return "0" }
  const away = extent ? Math.round(Math.log10(size / extent)) : 0
  if (away <= 0) { return number(value) }
  return general(value, Math.max(3 + away, Math.floor(Math.log10(size)) + 1)).replaceAll("-", "−")
}

export function coordinates(x, extents) {
  const parts = x.map((value, i) => coordinate(value, extents[i]))
  return parts.length === 1 ? parts[0] : `(${parts.join(", ")})`
}
