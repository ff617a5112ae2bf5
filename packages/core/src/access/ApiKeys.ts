/** Where API keys are remembered. Deleted keys, and keys of deleted workspaces, do not exist here. */
import { Context, type Effect, type Option } from "effect"
import type { ApiKey, AuthenticatedKey } from "./ApiKey.ts"

/** How a key ends, or hands over to another. */
export interface Retirement {
  readonly now: string
  /** From when on the key is refused; one that ends earlier keeps its end. */
  readonly at: string
  /** Takes its place, in the same step. */
  readonly successor: ApiKey | undefined
  /** Whether to retire even the account's last management key. */
  readonly force: boolean
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** By hash alone: this is how an account is found. Disabled and expired keys are returned; the caller judges them. */
    readonly authenticate: (hash: string) => Effect.Effect<Option.Option<AuthenticatedKey>>
    /** False when the key's workspace does not exist (any more), or the hash is taken. */
    readonly insert: (key: ApiKey) => Effect.Effect<boolean>
    /** Oldest first. `kind` narrows to one kind. */
    readonly list: (account_id: string, filter: { readonly kind?: ApiKey["kind"] }) => Effect.Effect<readonly ApiKey[]>
    /** Those of the given hashes that name a live, enabled, unexpired key of the account. */
    readonly existing: (account_id: string, hashes: readonly string[], now: string) => Effect.Effect<readonly string[]>
    /**
     * Gives the key an end and keeps it, so that the same key cannot be inserted again. `last`: nothing was done, as
     * `isLastManagementKey` says of it and there is neither successor nor force. Of several at once one is the first.
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
