/**
 * The stored answers of requests with an `Idempotency-Key`.
 *
 * Rule: requests#idempotency-keys. A record lives 24 hours. A claim whose holder died is taken over when its lease ends.
 */
import { Context, type Effect, type Option } from "effect"
import type { EncryptionContext } from "../vault/Vault.ts"
import { dayMillis } from "../value/calendar.ts"

/** How long an answer is kept: 24 hours. */
export const idempotencyLifetimeMillis = dayMillis

/** Identifies a record: caller, path and key. */
export interface IdempotencyScope {
  readonly account_id: string
  readonly key_hash: string
  /** SHA-256 of method, path and `Idempotency-Key`, lowercase hex: a client may have used a secret in a key or a path. */
  readonly request_hash: string
}

export interface IdempotencyAnswer {
  /** SHA-256 of the body that was answered, lowercase hex. */
  readonly body_hash: string
  readonly status: number
  /** The answer's body, encrypted. */
  readonly sealed: Uint8Array
}

/** Where the answer of a record is kept. */
export const contextOfAnswer = (scope: IdempotencyScope): EncryptionContext => ({
  table: "idempotency_record",
  field: "answer",
  account_id: scope.account_id,
  workspace_id: "",
  row_id: `${scope.key_hash} ${scope.request_hash}`
})

export type Claim =
  /** The caller does the work, then calls `complete` or `release` with this token. */
  | { readonly kind: "claimed"; readonly token: string }
  /** Another request is doing it. */
  | { readonly kind: "in_flight" }
  | { readonly kind: "answered"; readonly answer: IdempotencyAnswer }

/** The store's clock (`LedgerClock`) decides when a lease or an answer ends. */
export class IdempotencyRecords extends Context.Service<
  IdempotencyRecords,
  {
    /** A claim is free again when its lease ends; an answer is deleted after 24 hours. */
    readonly claim: (scope: IdempotencyScope, token: string, leaseMillis: number) => Effect.Effect<Claim>
    /** Renews a claim: no other process may take it over before the new lease ends. */
    readonly renew: (scope: IdempotencyScope, token: string, leaseMillis: number) => Effect.Effect<void>
    /**
     * Does the work and stores its answer, atomically. None, and nothing was done, if `token` no longer holds the claim.
     */
    readonly complete: <A extends { readonly kept: IdempotencyAnswer }, E, R>(
      scope: IdempotencyScope,
      token: string,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<Option.Option<A>, E, R>
    /** Releases a claim without an answer. */
    readonly release: (scope: IdempotencyScope, token: string) => Effect.Effect<void>
  }
>()("gatewarden/IdempotencyRecords") {}
