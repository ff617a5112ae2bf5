/**
 * Exact money and counts: amounts are whole nano-dollars (1e-9 USD) in a bigint, and are printed in JSON without loss.
 *
 * Rule: money#amounts, guardrails#spending-limit, analytics#numbers.
 */
import { unknownPrice } from "@gatewarden/contract/internal"

const decimals = 9
const nanosPerUsd = 10n ** BigInt(decimals)
const maxUsd = 1_000_000_000n

/**
 * Reads an amount from 0 to 1e9 USD with at most nine decimals; anything else is `undefined`.
 * A string is plain decimal as JSON writes numbers: no sign, no exponent, no leading zeros, nothing around it. A number is read
 * through its shortest rendering, so `0.1` is a tenth exactly, and `0.1 + 0.2`, which renders 17 decimals, is refused.
 */
export const parseUsd = (input: string | number): bigint | undefined => {
  const match = (typeof input === "string" ? plainDecimal : renderedNumber).exec(String(input))
  if (match === null) return undefined
  const [, whole = "", fraction = "", exponent = 0] = match
  const scale = fraction.length + Number(exponent)
  if (scale > decimals) return undefined
  const nanos = BigInt(whole + fraction) * 10n ** BigInt(decimals - scale)
  return nanos <= maxUsd * nanosPerUsd ? nanos : undefined
}

/** 0 if there are none. */
export const largest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)

/**
 * Clamps a cost to the largest amount that can be recorded. An absurd count thus costs the maximum, and never 0.
 */
export const recordableNanos = (nanos: bigint): bigint => (nanos <= maxUsd * nanosPerUsd ? nanos : maxUsd * nanosPerUsd)

/** Ten digits before the point suffice for every amount in range, and protect BigInt from long input. */
const plainDecimal = /^(0|[1-9]\d{0,9})(?:\.(\d{1,9}))?$/

/** The format of numbers from 0 to below 1e21; larger ones have a positive exponent. */
const renderedNumber = /^(\d{1,10})(?:\.(\d+))?(?:e-(\d+))?$/

/** Decimal string without trailing zeros: `"0"`, `"12.5"`, `"0.000000001"`. */
export const formatUsd = (nanos: bigint): string => {
  const sign = nanos < 0n ? "-" : ""
  const text = magnitude(nanos)
    .toString()
    .padStart(decimals + 1, "0")
  const fraction = text.slice(-decimals).replace(/0+$/, "")
  return sign + text.slice(0, -decimals) + (fraction === "" ? "" : `.${fraction}`)
}

const mostExact = BigInt(Number.MAX_SAFE_INTEGER)

/** The number of USD that is nearest to an amount, the same as that of its decimals. A division is exact where both sides are. */
export const usdNumber = (nanos: bigint): number =>
  nanos <= mostExact && nanos >= -mostExact ? Number(nanos) / 1e9 : Number(formatUsd(nanos))

/** Up to here an amount is a JSON number, beyond a decimal string (Rule: money#amounts): in nano-dollars it is a safe integer. */
const maxNumericNanos = 9_007_199n * nanosPerUsd

/**
 * An amount in a JSON body. Numbers render with at most nine decimals: exactly those of the amount below 2^23 (8,388,608) USD;
 * from there to the limit doubles lie up to 1.9e-9 apart, and the last decimal may be off by one.
 */
export const usdAsJson = (nanos: bigint): number | string => {
  // Both are exact doubles, so the quotient is the double that is nearest to the amount.
  return magnitude(nanos) <= maxNumericNanos ? Number(nanos) / 1e9 : formatUsd(nanos)
}

/** The smallest amount not below this one that can be sent as a JSON number; `null`: there is none. */
export const usdAtLeast = (nanos: bigint): number | null => {
  for (let more = 0n; nanos + more <= maxUsd * nanosPerUsd; more++) {
    const usd = Number(formatUsd(nanos + more))
    if ((parseUsd(usd) ?? -1n) >= nanos) return usd
  }
  return null
}

/** A count in a JSON body: a number up to 2^53 − 1, a decimal string beyond (Rule: money#counts). */
export const countAsJson = (count: bigint): number | string =>
  magnitude(count) <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : count.toString()

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** Prices as integers. They have up to 24 decimals, so sums are computed in 1e-24 USD and rounded up once, to nano-dollars. */
const priceDecimals = 24
export const unitsPerNano = 10n ** BigInt(priceDecimals - 9)

export const isKnownPrice = (price: string): boolean => price !== unknownPrice

/** Of a price that is known. */
export const unitsOf = (price: string): bigint => {
  const [whole = "0", fraction = ""] = price.split(".")
  return BigInt(whole + fraction.padEnd(priceDecimals, "0"))
}

export const nanosOf = (units: bigint): bigint => (units + unitsPerNano - 1n) / unitsPerNano

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
  const [, sign = "", whole = "", fraction = "", exponent = 0] = match
  return shiftDecimal(
    { digits: BigInt(sign + whole + fraction), scale: fraction.length },
    Math.max(-farthest, Math.min(farthest, Number(exponent)))
  )
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
  const text = magnitude(digits)
    .toString()
    .padStart(scale + 1, "0")
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}
