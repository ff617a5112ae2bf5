/** What was used and what it cost, where the clients of this dialect look for it: `usage` of an answer, or of a stream's last chunk. */
import type { UsageCost } from "@gatewarden/core"
import type { Spent } from "./Dialect.ts"

/** Dollars. The owner of a BYOK credential pays the provider: that is no cost here, and is reported apart. */
const dollarsOf = ({ cost_usd, byok_cost_usd }: UsageCost): number => Number(byok_cost_usd ?? cost_usd)

/** `names`: what the API calls what was read and what was written. */
export const printCost = <const Read extends string, const Written extends string>(
  { cost, ofPrompt }: Pick<Spent, "cost" | "ofPrompt">,
  [read, written]: readonly [Read, Written]
) => {
  const all = dollarsOf(cost)
  const prompt = dollarsOf(ofPrompt)
  return {
    cost: Number(cost.cost_usd),
    is_byok: cost.byok,
    cost_details: {
      upstream_inference_cost: all,
      [`upstream_inference_${read}_cost`]: prompt,
      [`upstream_inference_${written}_cost`]: Number((all - prompt).toFixed(12))
    }
  }
}

export const printUsage = ({ used, ...costs }: Spent) => ({
  prompt_tokens: used.prompt_tokens,
  completion_tokens: used.completion_tokens,
  total_tokens: used.prompt_tokens + used.completion_tokens,
  prompt_tokens_details: {
    cached_tokens: used.cached_tokens ?? 0,
    cache_write_tokens: used.cache_write_tokens ?? 0
  },
  completion_tokens_details: { reasoning_tokens: used.reasoning_tokens ?? 0 },
  ...printCost(costs, ["prompt", "completions"])
})
