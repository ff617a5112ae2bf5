/** The API keys. Deleted keys, and keys of deleted workspaces, do not exist here. */
import { Context, type Effect, type Option } from "effect"
import type { PageRequest } from "../value/Page.ts"
import type { ApiKey, AuthenticatedKey } from "./ApiKey.ts"
import type { KeyChange } from "./keyChange.ts"

/** All of an account, or fewer. */
export interface KeyFilter {
  readonly kind?: ApiKey["kind"]
  readonly workspace_id?: string
  readonly hashes?: readonly string[]
  readonly disabled?: boolean
}

/** How a key ends, or is replaced by another one. */
export interface Retirement {
  readonly now: string
  /** Time from which the key is refused; a key that ends earlier keeps its end. */
  readonly at: string
  /** Takes its place, in the same step. */
  readonly successor: ApiKey | undefined
  /** Whether to end the key even if it is the account's last management key. */
  readonly force: boolean
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * By hash alone, because the hash determines the account. Returns disabled and expired keys, too; the caller checks them. `deleted` is
     * known for 90 days, and for the last 10,000 keys of each account.
     */
    readonly authenticate: (hash: string) => Effect.Effect<AuthenticatedKey | "deleted" | "unknown">
    /** False when the key's workspace does not exist (any more), or the hash is taken. */
    readonly insert: (key: ApiKey) => Effect.Effect<boolean>
    /** Oldest first, then by hash; all, unless a page is asked for. */
    readonly list: (account_id: string, filter: KeyFilter, page?: PageRequest) => Effect.Effect<readonly ApiKey[]>
    /** Changes an API key; `updated_at` becomes `now` exactly when a stored value changed. None: there is no such key. */
    readonly update: (
      account_id: string,
      hash: string,
      change: KeyChange,
      now: string
    ) => Effect.Effect<Option.Option<ApiKey>>
    /**
     * Sets the key's end and keeps the key, so that it cannot be inserted again. `last`: nothing was done, because it is the last
     * management key (`isLastManagementKey`) and there is neither a successor nor `force`. Concurrent calls run one after another.
     */
    readonly retire: (
      account_id: string,
      hash: string,
      retirement: Retirement
    ) => Effect.Effect<"retired" | "absent" | "last">
    /** Deletes; false when there was no such key. */
    readonly remove: (account_id: string, hash: string, now: string) => Effect.Effect<boolean>
  }
>()("gatewarden/ApiKeys") {}
