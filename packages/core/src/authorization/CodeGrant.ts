/**
 * The grant behind an authorization code: its challenge, its expiry, and the key that the exchange creates.
 *
 * Rule: authorization#codes. The code itself is never kept, only its SHA-256.
 */
import type { ChallengeMethod, ResetInterval } from "@gatewarden/contract"

export interface CodeGrant {
  /** Lowercase hex SHA-256 of the code. */
  readonly code_hash: string
  readonly account_id: string
  readonly workspace_id: string
  /** As sent. */
  readonly callback_url: string
  /** By which the app is known. */
  readonly callback_origin: string
  /** Lowercase hex SHA-256 of the challenge, which is the verifier itself when the method is `plain`. */
  readonly challenge_hash: string | null
  /** `null` exactly without a challenge. */
  readonly code_challenge_method: ChallengeMethod | null
  readonly key_name: string
  /** Spending limit of the key in USD. */
  readonly limit: number | null
  readonly limit_reset: ResetInterval | null
  readonly key_expires_at: string | null
  /** The user whose key it will be. */
  readonly user_id: string | null
  readonly spawn_agent: string | null
  readonly spawn_cloud: string | null
  readonly created_at: string
  /** Time from which the code is invalid. */
  readonly expires_at: string
}

/** A grant as it is found again. */
export interface KeptGrant extends CodeGrant {
  /** When it was exchanged. */
  readonly spent_at: string | null
  /** The key that the exchange created, as long as that key exists. */
  readonly key_hash: string | null
}
