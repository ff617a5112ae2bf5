/**
 * The caller of a request: its account, and what its key may do.
 *
 * Rule: access#kinds-of-keys, access#gateway-keys. A management key acts on every workspace of its account; a gateway key acts, for
 * a data plane, in whichever account a request names (`actingAccount`); any other key lives in one workspace.
 */
import type { KeyRestrictions } from "@gatewarden/contract"
import type { KeyKind } from "../ports/keys.ts"

export interface Caller {
  readonly account_id: string
  /** Identifies the caller for rate limits and idempotency: the key's hash, or a digest of a host's user. */
  readonly key_hash: string
  readonly kind: KeyKind
  /** The workspace of an API key, otherwise `null`. */
  readonly workspace_id: string | null
  /** The account's default workspace, `null` once it was deleted, and for a key that is restricted to others. */
  readonly default_workspace_id: string | null
  readonly user_id: string | null
  /**
   * Whether the operator of the installation is calling: the operator may write data that all accounts share, and only its usage reports
   * count in public statistics (Rule: usage#public-statistics).
   */
  readonly is_operator: boolean
  /** What its management key is restricted to; `null` where it is not (Rule: access#restricted-keys). */
  readonly restrictions: KeyRestrictions | null
  /** Its API key was issued by consent or token exchange (Rule: presets#who-designates). */
  readonly issued?: true
  /** The host has authenticated the caller; there is no key. */
  readonly host?: true
}

/** The author that is recorded for what a caller creates (Rule: access#authors). */
export const authorOf = (caller: Caller): string => caller.user_id ?? "system"
