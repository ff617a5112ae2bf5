/** What the models of the demonstration cost: 0.0002 USD a token that they write, and nothing for what they read. */
const decimals = 4
const unitsPerToken = 2n
const nanosPerUnit = 100_000n

export const completionPrice = "0.0002"

/** Exact. */
export const costOf = (completion_tokens: number): { readonly nanos: bigint; readonly usd: string } => {
  const units = BigInt(completion_tokens) * unitsPerToken
  const text = units.toString().padStart(decimals + 1, "0")
  return { nanos: units * nanosPerUnit, usd: `${text.slice(0, -decimals)}.${text.slice(-decimals)}` }
}
