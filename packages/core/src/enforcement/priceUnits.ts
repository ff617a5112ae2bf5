/** Prices as whole numbers: they have up to 24 decimals, so sums are taken in 1e-24 USD and rounded up once, to nano-dollars. */
const decimals = 24
const unitsPerNano = 10n ** BigInt(decimals - 9)

export const unitsOf = (price: string): bigint => {
  const [whole = "0", fraction = ""] = price.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

export const nanosOf = (units: bigint): bigint => (units + unitsPerNano - 1n) / unitsPerNano
