/** Prices as integers. They have up to 24 decimals, so sums are computed in 1e-24 USD and rounded up once, to nano-dollars. */
import { unknownPrice } from "@gatewarden/contract"

const decimals = 24
export const unitsPerNano = 10n ** BigInt(decimals - 9)

export const isKnownPrice = (price: string): boolean => price !== unknownPrice

/** Of a price that is known. */
export const unitsOf = (price: string): bigint => {
  const [whole = "0", fraction = ""] = price.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

export const nanosOf = (units: bigint): bigint => (units + unitsPerNano - 1n) / unitsPerNano
