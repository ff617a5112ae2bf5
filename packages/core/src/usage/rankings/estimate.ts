/** Exact sums of sampled tokens: Σ tokens × weight, rounded half up once at the end (Rule: rankings#sampled-datasets). */
import { type Decimal, parseDecimal } from "../../value/Decimal.ts"

export const nothing: Decimal = { digits: 0n, scale: 0 }

/** Adds the tokens of one event times `weight`, a positive decimal that is used exactly as written. */
export const addSample = (sum: Decimal, tokens: bigint, weight: number): Decimal => {
  const read = parseDecimal(weight) ?? nothing
  const scale = Math.max(sum.scale, read.scale)
  return { digits: digitsAt(sum, scale) + tokens * digitsAt(read, scale), scale }
}

/** Rounds to the nearest integer, half up. Sums are never negative. */
export const roundHalfUp = ({ digits, scale }: Decimal): bigint => {
  const unit = 10n ** BigInt(scale)
  return (2n * digits + unit) / (2n * unit)
}

/** The digits of a number with more decimals. */
const digitsAt = (number: Decimal, scale: number): bigint => number.digits * 10n ** BigInt(scale - number.scale)
