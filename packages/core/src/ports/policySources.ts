import type { BudgetInterval, Guardrail, KeyRateLimits } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { AuthenticatedKey } from "./keys.ts"

/** A limit on the spending of a whole workspace. */
export interface WorkspaceLimit {
  readonly id: string
  readonly interval: BudgetInterval
  /** USD. */
  readonly limit_usd: number
}

/** Only the limits that a request sets; absent ones stay. */
export type RateLimitChange = Partial<Readonly<KeyRateLimits>>

export interface PolicySource {
  readonly key: AuthenticatedKey
  /** The stored default guardrail of the key's workspace, the one assigned to its user, the one assigned to it. */
  readonly guardrails: readonly AppliedGuardrail[]
  readonly workspace: {
    readonly limits: readonly WorkspaceLimit[]
    readonly include_byok: boolean
    /** The model of a request that names none; `""`: no default. */
    readonly default_text_model: string
    /** The order of endpoints for a request without one; `""`: the catalog's order. */
    readonly default_provider_sort: string
    /** The types of server tools that no request may name. */
    readonly disabled_server_tools: readonly string[]
  }
  /** `null`: none. */
  readonly rate_limits: KeyRateLimits | null
}

/** Everything that applies to a key's requests, in one look-up. */
export class PolicySources extends Context.Service<
  PolicySources,
  {
    /**
     * What applies to a key of the account, by its hash or that of any secret of it, also of one that has ended (`endOfSecret`). Returns
     * disabled and expired keys, too; the caller checks them.
     */
    readonly of: (account_id: string, secret_hash: string) => Effect.Effect<Option.Option<PolicySource>>
    /** Whom a deleted key acted for, as long as its deletion is known. None: it is unknown, or not deleted. */
    readonly formerOwner: (
      account_id: string,
      key_hash: string
    ) => Effect.Effect<Option.Option<Pick<AuthenticatedKey, "user_id" | "external_user">>>
    /** Sets rate limits of an API key; answers the limits after the change. None: there is no such key. */
    readonly limitRates: (
      account_id: string,
      key_hash: string,
      change: RateLimitChange
    ) => Effect.Effect<Option.Option<KeyRateLimits>>
  }
>()("gatewarden/PolicySources") {}

export type GuardrailScope = "workspace" | "member" | "key"

/** A guardrail with the scope in which it applies to a request: workspace default, member or key. */
export interface AppliedGuardrail {
  readonly scope: GuardrailScope
  readonly guardrail: Guardrail
}
