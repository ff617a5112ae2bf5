import type { SentUsageEvent } from "@gatewarden/contract"

/** An event as a data plane sends it, of a request that cost nothing. */
export const sentEvent = (id: string, fields: Partial<SentUsageEvent> = {}): SentUsageEvent => ({
  id,
  created_at: "2026-03-04T11:00:00.000Z",
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd: "0",
  ...fields
})
