/**
 * Who makes a request: the account, and what its key may do.
 *
 * Rule: access#kinds-of-keys, access#gateway-keys. A management key acts on every workspace of its account; a gateway key acts, for
 * a data plane, in whichever account a request names (`actingAccount`); any other key lives in one workspace.
 */
import type { KeyKind } from "./KeyFormat.ts"

export interface Caller {
  readonly account_id: string
  /** Who is counted by limits and repetitions: the key's hash, or a digest that stands for a host's user. */
  readonly key_hash: string
  readonly kind: KeyKind
  /** The workspace of a normal key, otherwise `null`. */
  readonly workspace_id: string | null
  /** The account's default workspace, `null` once it was deleted. */
  readonly default_workspace_id: string | null
  readonly user_id: string | null
  /**
   * Whether the operator of the installation is calling: it may write what all accounts share, and only what it reports counts in
   * statistics that all accounts see (Rule: usage#public-statistics).
   */
  readonly is_operator: boolean
  /** The host vouches for the caller; there is no key. */
  readonly host?: true
}

/** The author that is recorded for what a caller creates (Rule: access#authors). */
export const authorOf = (caller: Caller): string => caller.user_id ?? "system"
