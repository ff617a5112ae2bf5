/** Where a decision finds what applies to a key: one look-up for everything. */
import { Context, type Effect, type Option } from "effect"
import type { AuthenticatedKey } from "../access/ApiKey.ts"
import type { WorkspaceLimit } from "./budgetsOf.ts"
import type { AppliedGuardrail } from "./CompiledPolicy.ts"

/** Limits on how often a key may be used; `null`: no such limit. */
export interface KeyRateLimits {
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: number | null
  /** Admissions that are neither settled, cancelled nor expired. */
  readonly parallel_requests: number | null
}

export interface PolicySource {
  readonly key: AuthenticatedKey
  /** The stored default guardrail of the key's workspace, the one assigned to its user, the one assigned to it. */
  readonly guardrails: readonly AppliedGuardrail[]
  readonly workspace: { readonly limits: readonly WorkspaceLimit[]; readonly include_byok: boolean }
  /** `null`: none. */
  readonly rate_limits: KeyRateLimits | null
}

export class PolicySources extends Context.Service<
  PolicySources,
  {
    /** What applies to a key of the account. Disabled and expired keys are found; the caller judges them. */
    readonly of: (account_id: string, key_hash: string) => Effect.Effect<Option.Option<PolicySource>>
  }
>()("gatewarden/PolicySources") {}
