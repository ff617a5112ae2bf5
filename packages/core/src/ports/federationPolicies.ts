import type { FederationPolicy } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import { type Page, type PageRequest } from "../value/Page.ts"
import type { ApiKey } from "./keys.ts"

export interface NamedPolicy {
  readonly account_id: string
  readonly policy: FederationPolicy
}

/** The token that a key is given for. */
export interface TokenUse {
  readonly policy_id: string
  /** The same for each use of a token that may be used once; unique for each use of another one. */
  readonly use_id: string
  /** Time from which neither the key nor the token counts on any server, so that nothing of the use must be kept. */
  readonly ends_at: string
}

/** The federation policies of accounts, and the tokens that were exchanged under them. Policies of deleted workspaces do not exist here. */
export class FederationPolicies extends Context.Service<
  FederationPolicies,
  {
    /** `full`: the workspace has as many as it may; `missing`: it does not exist (any more). */
    readonly insert: (account_id: string, policy: FederationPolicy) => Effect.Effect<"inserted" | "full" | "missing">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<FederationPolicy>>
    /** By id alone, because the caller has no account yet. None where the account is suspended. */
    readonly named: (id: string) => Effect.Effect<Option.Option<NamedPolicy>>
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<FederationPolicy>>
    /** Applies a change; `updated_at` becomes `now` exactly when a stored value changed. */
    readonly update: (
      account_id: string,
      id: string,
      change: FederationPolicyChange,
      now: string
    ) => Effect.Effect<Option.Option<FederationPolicy>>
    readonly remove: (account_id: string, id: string) => Effect.Effect<boolean>
    /**
     * Inserts the key that a token is exchanged for, and notes the use, both or neither. `used`: the account has a use of this id, which
     * is no older than its end. `missing`: the policy is gone or disabled. Of concurrent calls with one `use_id` exactly one succeeds.
     */
    readonly issue: (key: ApiKey, use: TokenUse) => Effect.Effect<"issued" | "used" | "missing">
  }
>()("gatewarden/FederationPolicies") {}

type PolicyFields = Omit<FederationPolicy, "id" | "workspace_id" | "created_at" | "updated_at">

/**
 * Maps the fields of a request to the stored values that they set. Rule: requests#patches.
 *
 * Only the fields that a request sets; absent ones stay.
 */
export type FederationPolicyChange = { readonly [K in keyof PolicyFields]?: PolicyFields[K] }
