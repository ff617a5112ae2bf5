/** What was used and what it cost, where the clients of this dialect look for it: `usage` of an answer, or of a stream's last chunk. */
import type { UsageCost } from "@gatewarden/core"
import type { Used } from "./Tally.ts"

/** Dollars. The owner of a BYOK credential pays the provider: that is no cost here, and is reported apart. */
const dollarsOf = ({ cost_usd, byok_cost_usd }: UsageCost): number => Number(byok_cost_usd ?? cost_usd)

/** `ofPrompt`: what reading alone costs. */
export const printUsage = (used: Used, cost: UsageCost, ofPrompt: UsageCost) => {
  const all = dollarsOf(cost)
  const prompt = dollarsOf(ofPrompt)
  return {
    prompt_tokens: used.prompt_tokens,
    completion_tokens: used.completion_tokens,
    total_tokens: used.prompt_tokens + used.completion_tokens,
    cost: Number(cost.cost_usd),
    is_byok: cost.byok,
    prompt_tokens_details: {
      cached_tokens: used.cached_tokens ?? 0,
      cache_write_tokens: used.cache_write_tokens ?? 0
    },
    completion_tokens_details: { reasoning_tokens: used.reasoning_tokens ?? 0 },
    cost_details: {
      upstream_inference_cost: all,
      upstream_inference_prompt_cost: prompt,
      upstream_inference_completions_cost: Number((all - prompt).toFixed(12))
    }
  }
}
