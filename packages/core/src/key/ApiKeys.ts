/** The API keys. Deleted keys, and keys of deleted workspaces, do not exist here. */
import { Context, type Effect, type Option } from "effect"
import type { StoredExternalUser } from "../externalUser/ExternalUsers.ts"
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

/** A new secret of a key. */
export interface Rotation {
  readonly secret_hash: string
  /** Masked rendering of the secret. */
  readonly label: string
  readonly now: string
  /** Time from which the former secrets are refused; one that ends earlier keeps its end. */
  readonly overlap_ends_at: string
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * By hash alone, because the hash determines the account: that of the key, or of any secret of it, also of one that has ended
     * (`endOfSecret`). Returns disabled and expired keys, too; the caller checks them. `deleted` is known for 90 days, and for the last
     * 10,000 keys of each account.
     */
    readonly authenticate: (hash: string) => Effect.Effect<AuthenticatedKey | "deleted" | "unknown">
    /**
     * False when the key's workspace does not exist (any more), the hash is taken by a key or a secret of one, or the directory says that
     * the key's user may not act, also if it says so at the same time. A key that is inserted registers its external user, unless that is
     * registered.
     */
    readonly insert: (key: ApiKey, registration?: StoredExternalUser) => Effect.Effect<boolean>
    /** Oldest first, then by hash; all, unless a page is asked for. */
    readonly list: (account_id: string, filter: KeyFilter, page?: PageRequest) => Effect.Effect<readonly ApiKey[]>
    /**
     * Changes an API key; `updated_at` becomes `now` exactly when a stored value changed. None: there is no such key, or it is to be enabled
     * and the directory says that its user may not act.
     */
    readonly update: (
      account_id: string,
      hash: string,
      change: KeyChange,
      now: string
    ) => Effect.Effect<Option.Option<ApiKey>>
    /**
     * Sets the key's end and keeps the key, so that it cannot be inserted again. `last`: nothing was done, because it is the last
     * management key (`isLastManagementKey`) and there is neither a successor nor `force`. `deprovisioned`: nothing was done, because
     * there is a successor, whose user the directory says may not act. Concurrent calls run one after another.
     */
    readonly retire: (
      account_id: string,
      hash: string,
      retirement: Retirement
    ) => Effect.Effect<"retired" | "absent" | "last" | "deprovisioned">
    /**
     * Adds a secret to an API key (`rotatedSecrets`). Concurrent calls run one after another; the last one's secret is the newest. None:
     * there is no such key.
     */
    readonly rotate: (account_id: string, hash: string, rotation: Rotation) => Effect.Effect<Option.Option<ApiKey>>
    /** Deletes the key with its secrets; false when there was no such key. */
    readonly remove: (account_id: string, hash: string, now: string) => Effect.Effect<boolean>
  }
>()("gatewarden/ApiKeys") {}
