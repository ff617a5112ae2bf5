/**
 * Who makes a request: the account, and what its key may do.
 *
 * Source: decisions 2. A management key acts on every workspace of its account; any other key lives in one workspace.
 */
export interface Caller {
  readonly account_id: string
  /** Who is counted by limits and repetitions: the key's hash, or a digest that stands for a host's user. */
  readonly key_hash: string
  readonly kind: "management" | "normal"
  /** The workspace of a normal key, `null` for a management key. */
  readonly workspace_id: string | null
  /** The account's default workspace, `null` once it was deleted. */
  readonly default_workspace_id: string | null
  readonly user_id: string | null
  /** The host vouches for the caller; there is no key. */
  readonly host?: true
}

/** The author that is recorded for what a caller creates (decisions 13). */
export const authorOf = (caller: Caller): string => caller.user_id ?? "system"
