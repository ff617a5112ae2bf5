import type { KeyRestrictions, ResetInterval } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { StoredExternalUser } from "./externalUsers.ts"

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
  /** Becomes `updated_at`. */
  readonly now: string
  /** How long the former secrets still open the key; one that ends earlier keeps its end. `null`: without an end. */
  readonly overlap_millis: number | null
}

/** The API keys. Deleted keys, and keys of deleted workspaces, do not exist here. */
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
    /** The management keys, ended ones too, oldest first, and how many there are. */
    readonly listManagement: (account_id: string, page: PageRequest) => Effect.Effect<Page<ApiKey>>
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
     * Adds a secret to an API key (`rotatedSecrets`). The store's clock (`LedgerClock`) decides when the former ones end. Concurrent calls
     * run one after another; the last one's secret is the newest. None: there is no such key. `overlap_ends_at`: `null` if the overlap
     * never ends.
     */
    readonly rotate: (
      account_id: string,
      hash: string,
      rotation: Rotation
    ) => Effect.Effect<Option.Option<{ readonly record: ApiKey; readonly overlap_ends_at: string | null }>>
    /** Deletes the key with its secrets; false when there was no such key. */
    readonly remove: (account_id: string, hash: string, now: string) => Effect.Effect<boolean>
  }
>()("gatewarden/ApiKeys") {}

export type KeyKind = "management" | "gateway" | "normal"

/** An API key as it is stored: everything but the key itself, of which only the hash is kept (Rule: access#key-hashes). */
export interface ApiKey {
  /** Of the secret with which the key was made. It names the key for ever, whatever secrets open it later. */
  readonly hash: string
  readonly account_id: string
  /**
   * `gateway`: for a data plane that serves every account of the installation. It is stored with the operator's account, because no other
   * account may see it, and manages nothing (Rule: access#gateway-keys).
   */
  readonly kind: KeyKind
  /** `null` exactly where the kind is not `normal`. */
  readonly workspace_id: string | null
  readonly user_id: string | null
  readonly external_user: string | null
  readonly creator_user_id: string | null
  readonly name: string
  /** Masked rendering of the newest secret. */
  readonly label: string
  readonly disabled: boolean
  /**
   * How an app or a workload got the key: by a user's consent (PKCE), or for a token of its platform. `null`: a management key made it
   * (Rule: presets#who-designates).
   */
  readonly issued_by: "consent" | "exchange" | null
  /** Spending limit in USD. */
  readonly limit: number | null
  readonly limit_reset: ResetInterval | null
  readonly include_byok_in_limit: boolean
  /** Of a management key; `null`: it may do everything that one may (Rule: access#restricted-keys). */
  readonly restrictions: KeyRestrictions | null
  readonly expires_at: string | null
  /** Time at which a revocation or a replacement ends the key; `null` without one, or if the key expires earlier. */
  readonly revoked_at: string | null
  readonly created_at: string
  readonly updated_at: string | null
}

/** What a key has of the fields that nobody has set. */
export const unsetKey = {
  user_id: null,
  external_user: null,
  creator_user_id: null,
  issued_by: null,
  disabled: false,
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
  restrictions: null,
  expires_at: null,
  revoked_at: null,
  updated_at: null
} as const satisfies Partial<ApiKey>

type SetFields = Record<Exclude<keyof ApiKey, keyof typeof unsetKey>, true>

/** The names of all fields of a key. Which columns a decision reads, and what the audit log shows, follow. */
export const keyFields = Object.keys({
  hash: true,
  account_id: true,
  kind: true,
  workspace_id: true,
  name: true,
  label: true,
  created_at: true,
  ...unsetKey
} satisfies SetFields & typeof unsetKey) as readonly (keyof ApiKey)[]

/** A key with the data of its account that authentication needs. */
export interface AuthenticatedKey extends ApiKey {
  /** The account's default workspace, `null` once it was deleted. */
  readonly default_workspace_id: string | null
  /** The account is the operator's own: the one that is named `default` (Rule: access#operator). */
  readonly is_operator: boolean
  /** The account is suspended: all of its keys are refused. */
  readonly is_suspended: boolean
  /** The latest secrets of a key that was rotated, the oldest first: all that may still open it. Empty: only the secret of `hash` does. */
  readonly secrets: readonly KeySecret[]
}

/**
 * The secrets that open one key.
 *
 * Rule: access#rotating-keys. The hash of a key never changes. A key that was never rotated has one secret, whose hash is the key's, and no
 * list; a rotation lists the secrets of the key, and from then on the list alone tells which of them open it.
 *
 * A list has the secrets of a key, the oldest first.
 */
export interface KeySecret {
  readonly hash: string
  /** Epoch milliseconds from which the secret is refused; `null` for the newest one, which does not end. */
  readonly ends_at: number | null
  /** It had ended when it was read, by the store's clock: a process whose clock is behind refuses it, too. */
  readonly has_ended: boolean
}

/** A secret as it is stored. */
export type StoredSecret = Omit<KeySecret, "has_ended">

/** The end of a former secret without one: a stored secret with the end `null` is the newest of its key. */
export const endlessOverlap = "9999-12-31T23:59:59.999Z"

/** The former secrets that may open a key beside its newest one. */
export const mostFormerSecrets = 2

/** The secrets that can open a key at the same time. */
export const mostLiveSecrets = mostFormerSecrets + 1

/** The secrets of a key that a store remembers, so that usage that names an ended one is still recorded under the key. */
export const mostKnownSecrets = 100

/** Only the fields that a request sets; absent ones stay. */
export type KeyChange = Partial<Pick<ApiKey, "name" | "disabled" | "limit" | "limit_reset" | "include_byok_in_limit">>
