/**
 * What was answered to a request that carried an `Idempotency-Key`.
 *
 * Rule: requests#idempotency-keys. A record lives 24 hours. A claim whose holder died is taken over when its lease ends.
 */
import { Context, type Effect, type Option } from "effect"
import type { SecretPlace } from "../vault/Vault.ts"

/** How long an answer is kept: 24 hours. */
export const idempotencyLifetimeMillis = 86_400_000

/** Who repeats what: one record per caller, path and key. */
export interface IdempotencyScope {
  readonly account_id: string
  readonly key_hash: string
  /** SHA-256 of method, path and `Idempotency-Key`, lowercase hex: a client may have taken a secret for a key or a path. */
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
export const placeOfAnswer = (scope: IdempotencyScope): SecretPlace => ({
  table: "idempotency_record",
  field: "answer",
  account_id: scope.account_id,
  workspace_id: "",
  row_id: `${scope.key_hash} ${scope.request_hash}`
})

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
    /** The claim's holder is alive: nobody may take over before `leaseUntil`. */
    readonly renew: (scope: IdempotencyScope, token: string, leaseUntil: number) => Effect.Effect<void>
    /**
     * Does the work and keeps the answer that it comes to, both or neither, whatever dies meanwhile. None, and nothing was
     * done, when `token` does not hold the claim any more.
     */
    readonly complete: <A extends { readonly kept: IdempotencyAnswer }, E, R>(
      scope: IdempotencyScope,
      token: string,
      now: number,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<Option.Option<A>, E, R>
    /** Gives up a claim that came to no answer. */
    readonly release: (scope: IdempotencyScope, token: string) => Effect.Effect<void>
  }
>()("gatewarden/IdempotencyRecords") {}
