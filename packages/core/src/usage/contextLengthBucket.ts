/**
 * The context length bucket of a request by its prompt tokens: `1K` up to 1,000, `10M` above 1,000,000
 * (Rule: rankings#modalities-and-contexts).
 */
export type ContextLengthBucket = "1K" | "10K" | "100K" | "1M" | "10M"

const bounds = [
  ["1K", 1_000],
  ["10K", 10_000],
  ["100K", 100_000],
  ["1M", 1_000_000]
] as const

export const contextLengthBucket = (prompt_tokens: number): ContextLengthBucket =>
  bounds.find(([, most]) => prompt_tokens <= most)?.[0] ?? "10M"
