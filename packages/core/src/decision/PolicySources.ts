/** Where a decision finds what applies to a key: one look-up for everything. */
import type { KeyRateLimits } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { AuthenticatedKey } from "../access/ApiKey.ts"
import type { WorkspaceLimit } from "../ledger/budgetsOf.ts"
import type { AppliedGuardrail } from "../guardrail/AppliedGuardrail.ts"

/** Only the limits that a request sets; absent ones stay. */
export type RateLimitChange = Partial<Readonly<KeyRateLimits>>

export interface PolicySource {
  readonly key: AuthenticatedKey
  /** The stored default guardrail of the key's workspace, the one assigned to its user, the one assigned to it. */
  readonly guardrails: readonly AppliedGuardrail[]
  readonly workspace: {
    readonly limits: readonly WorkspaceLimit[]
    readonly include_byok: boolean
    /** Of a request that names no model; `""`: none. */
    readonly default_text_model: string
    /** Of a request that says nothing of the order of endpoints; `""`: the catalog's order. */
    readonly default_provider_sort: string
  }
  /** `null`: none. */
  readonly rate_limits: KeyRateLimits | null
}

export class PolicySources extends Context.Service<
  PolicySources,
  {
    /** What applies to a key of the account. Disabled and expired keys are found; the caller judges them. */
    readonly of: (account_id: string, key_hash: string) => Effect.Effect<Option.Option<PolicySource>>
    /** Sets rate limits of a normal key; the limits as they are afterwards. None: there is no such key. */
    readonly limitRates: (
      account_id: string,
      key_hash: string,
      change: RateLimitChange
    ) => Effect.Effect<Option.Option<KeyRateLimits>>
  }
>()("gatewarden/PolicySources") {}
