/**
 * An exact decimal number: `digits` × 10^−`scale`. For comparing exact sums with the value of a filter.
 */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** The formats of JavaScript's finite numbers and of decimal strings; the length limit protects BigInt. */
const written = /^(-?)(\d{1,60})(?:\.(\d{1,60}))?(?:e([+-]\d{1,3}))?$/

/** Parses a JSON number, or a string with one; undefined otherwise. An exponent beyond `farthest` is replaced by it. */
export const parseDecimal = (value: string | number, farthest = 999): Decimal | undefined => {
  const match = written.exec(String(value))
  if (match === null) return undefined
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match
  const digits = BigInt(sign + whole + fraction)
  const scale = fraction.length - Math.max(-farthest, Math.min(farthest, Number(exponent)))
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

/** Negative, zero or positive, as the integer is less than, equal to or greater than the number. */
export const compareToDecimal = (integer: bigint, { digits, scale }: Decimal): number => {
  const scaled = integer * 10n ** BigInt(scale)
  return scaled < digits ? -1 : scaled > digits ? 1 : 0
}

/** The same number times 10^`places`. */
export const shiftDecimal = ({ digits, scale }: Decimal, places: number): Decimal =>
  scale >= places ? { digits, scale: scale - places } : { digits: digits * 10n ** BigInt(places - scale), scale: 0 }

/** Plain decimal, without an exponent. */
export const formatDecimal = ({ digits, scale }: Decimal): string => {
  const sign = digits < 0n ? "-" : ""
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0")
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}
