import type { KeyRestrictions, ResetInterval } from "@gatewarden/contract"
import type { KeyKind } from "./KeyFormat.ts"
import type { KeySecret } from "./KeySecret.ts"

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
