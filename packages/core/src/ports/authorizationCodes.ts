import type { ChallengeMethod, ResetInterval } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import type { ApiKey } from "./keys.ts"

/**
 * The grants of authorization codes. Those of deleted workspaces do not exist here. The store's clock (`LedgerClock`) decides when a grant
 * expires and when it was spent.
 */
export class AuthorizationCodes extends Context.Service<
  AuthorizationCodes,
  {
    /**
     * Stores a grant and answers the number of its app: the next number if the callback origin is new to the account. It expires after its
     * lifetime, or with its key if that expires earlier. `taken`: a grant of the same account, origin and challenge is unspent and
     * unexpired, whatever the method; grants without a challenge never conflict. `missing`: the workspace does not exist (any more).
     * Nothing changed in these cases.
     */
    readonly insert: (
      grant: CodeGrant,
      lifetimeMillis: number
    ) => Effect.Effect<{ readonly app_id: number } | "taken" | "missing">
    /** By hash alone, because the caller has no account yet. Returns expired and spent grants, too; the caller checks them. */
    readonly find: (code_hash: string) => Effect.Effect<Option.Option<KeptGrant>>
    /**
     * Spends the grant and inserts the key that it is spent for, both or neither. False when it was spent or burnt, is
     * expired, its account is suspended, or its workspace does not exist (any more): of concurrent attempts exactly one succeeds.
     */
    readonly spend: (code_hash: string, key: ApiKey) => Effect.Effect<boolean>
    /** Invalidates an unspent grant. */
    readonly burn: (code_hash: string) => Effect.Effect<void>
  }
>()("gatewarden/AuthorizationCodes") {}

/**
 * The grant behind an authorization code: its challenge, its expiry, and the key that the exchange creates.
 *
 * Rule: authorization#codes. The code itself is never kept, only its SHA-256.
 */
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
}

/** A grant as it is found again. */
export interface KeptGrant extends CodeGrant {
  /** Time from which the code is invalid. */
  readonly expires_at: string
  /** When it was exchanged. */
  readonly spent_at: string | null
  /** The key that the exchange created, as long as that key exists. */
  readonly key_hash: string | null
  /** When it was found: the instant by which to judge it. */
  readonly found_at: string
}
