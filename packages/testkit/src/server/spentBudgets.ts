/** The budgets that several processes spend together: a key inside its member and its workspace. */
import type { Budget } from "@gatewarden/core/store"

const usd = 1_000_000_000n

export const key_hash = "a".repeat(64)
export const user_id = "user-1"
export const workspace_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"

/** Amounts in nano-dollars. */
export const limits = {
  key: usd,
  member: (3n * usd) / 2n,
  workspace: 5n * usd,
  ample: 1_000_000n * usd,
  hold_seconds: 10
} as const

const guardrail_id = "11111111-1111-4111-8111-111111111111"

export const spentTogether: readonly Budget[] = [
  {
    scope: "key_limit",
    entity: key_hash,
    guardrail_id: null,
    interval: "lifetime",
    limit_nanos: limits.key,
    include_byok: false
  },
  {
    scope: "member",
    entity: user_id,
    guardrail_id,
    interval: "weekly",
    limit_nanos: limits.member,
    include_byok: true
  },
  {
    scope: "workspace_budget",
    entity: workspace_id,
    guardrail_id: null,
    interval: "daily",
    limit_nanos: limits.workspace,
    include_byok: false
  },
  {
    scope: "workspace_budget",
    entity: workspace_id,
    guardrail_id: null,
    interval: "monthly",
    limit_nanos: limits.workspace,
    include_byok: false
  }
]
