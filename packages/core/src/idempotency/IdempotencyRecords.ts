/**
 * What was answered to a request that carried an `Idempotency-Key`.
 *
 * Source: decisions 4. A record lives 24 hours. A claim whose holder died is taken over when its lease ends.
 */
import { Context, type Effect } from "effect"

/** How long an answer is kept: 24 hours. */
export const idempotencyLifetimeMillis = 86_400_000

/** Who repeats what: one record per key, caller and path. */
export interface IdempotencyScope {
  readonly account_id: string
  readonly key_hash: string
  /** Method and path of the request. */
  readonly route: string
  readonly idempotency_key: string
}

export interface IdempotencyAnswer {
  /** SHA-256 of the body that was answered, lowercase hex. */
  readonly body_hash: string
  readonly status: number
  /** The answer's body, encrypted. */
  readonly sealed: Uint8Array
}

export type Claim =
  /** The caller shall do the work, then `complete` or `release` with this token. */
  | { readonly kind: "claimed"; readonly token: string }
  /** Another request is doing it. */
  | { readonly kind: "in_flight" }
  | { readonly kind: "answered"; readonly answer: IdempotencyAnswer }

export class IdempotencyRecords extends Context.Service<
  IdempotencyRecords,
  {
    /** Times in epoch milliseconds. A claim is free again after `leaseUntil`; an answer is forgotten after 24 hours. */
    readonly claim: (scope: IdempotencyScope, token: string, now: number, leaseUntil: number) => Effect.Effect<Claim>
    /** Keeps the answer, if the claim is still held by `token`. */
    readonly complete: (
      scope: IdempotencyScope,
      token: string,
      answer: IdempotencyAnswer,
      now: number
    ) => Effect.Effect<void>
    readonly release: (scope: IdempotencyScope, token: string) => Effect.Effect<void>
  }
>()("gatewarden/IdempotencyRecords") {}
