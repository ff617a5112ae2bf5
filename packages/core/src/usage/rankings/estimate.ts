/** Exact sums of sampled tokens: Σ tokens × weight, rounded half up once at the end (Rule: rankings#sampled-datasets). */
import { type Decimal, parseDecimal } from "../../value/Decimal.ts"

export const nothing: Decimal = { digits: 0n, scale: 0 }

/** A sum with the tokens of one more event, each standing for `weight`, which is positive and taken as it is written. */
export const addSample = (sum: Decimal, tokens: bigint, weight: number): Decimal => {
  const read = parseDecimal(weight) ?? nothing
  const scale = Math.max(sum.scale, read.scale)
  return { digits: digitsAt(sum, scale) + tokens * digitsAt(read, scale), scale }
}

/** The nearest integer; a half goes up. Of sums, which are never negative. */
export const roundHalfUp = ({ digits, scale }: Decimal): bigint => {
  const unit = 10n ** BigInt(scale)
  return (2n * digits + unit) / (2n * unit)
}

/** The digits of a number written with more places. */
const digitsAt = (number: Decimal, scale: number): bigint => number.digits * 10n ** BigInt(scale - number.scale)
