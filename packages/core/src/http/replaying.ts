/**
 * Does the work of a POST once per `Idempotency-Key`.
 *
 * Source: decisions 4. Same key, caller, path and body within 24 hours: the first 2xx answer again, with
 * `Idempotent-Replayed: true`; another body: 400; while the first is in flight the second waits.
 */
import { Clock, Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Caller } from "../access/Caller.ts"
import { BadRequest } from "../failure.ts"
import { IdempotencyRecords, type IdempotencyScope } from "../idempotency/IdempotencyRecords.ts"
import { Entropy } from "../platform/Entropy.ts"
import { Vault } from "../vault/Vault.ts"
import type { ReadBody } from "./readBody.ts"

export interface Answer {
  readonly status: number
  readonly body: string
}

interface Repeatable {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly route: string
  readonly caller: Caller
  readonly body: ReadBody
}

/** How long a claim protects work whose process may have died. */
const leaseMillis = 60_000
const pollInterval = "25 millis"

const keyPattern = /^[\x21-\x7e]{1,255}$/

export const replaying = <E, R>(
  { request, route, caller, body }: Repeatable,
  run: Effect.Effect<Answer, E, R>,
  headers: Record<string, string>
) =>
  Effect.gen(function* () {
    const key = request.headers["idempotency-key"]
    if (key === undefined) return yield* run
    if (!keyPattern.test(key)) return yield* new BadRequest({ reason: "invalid_idempotency_key" })
    const records = yield* IdempotencyRecords
    const token = (yield* Entropy).uuid()
    const scope = { account_id: caller.account_id, key_hash: caller.key_hash, route, idempotency_key: key }
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      records.claim(scope, token, now, now + leaseMillis)
    )

    let claim = yield* attempt
    while (claim.kind === "in_flight") {
      yield* Effect.sleep(pollInterval)
      claim = yield* attempt
    }
    if (claim.kind === "answered") {
      const { answer } = claim
      if ((yield* body.hash) !== answer.body_hash) return yield* new BadRequest({ reason: "idempotency_key_reused" })
      headers["idempotent-replayed"] = "true"
      const opened = yield* Effect.orDie((yield* Vault).open(answer.sealed, placeOf(scope)))
      return { status: answer.status, body: Redacted.value(opened) }
    }
    // A release that fails only makes a repetition wait for the lease; the answer or failure at hand counts.
    const answer = yield* Effect.onError(run, () => Effect.ignoreCause(records.release(scope, token)))
    // The work is committed: whatever happens to the record, its answer is the truth.
    yield* Effect.ignoreCause(keep(scope, token, answer, body))
    return answer
  })

const keep = Effect.fnUntraced(function* (scope: IdempotencyScope, token: string, answer: Answer, body: ReadBody) {
  const vault = yield* Vault
  const records = yield* IdempotencyRecords
  const sealed = yield* vault.seal(Redacted.make(answer.body), placeOf(scope))
  const now = yield* Clock.currentTimeMillis
  yield* records.complete(scope, token, { body_hash: yield* body.hash, status: answer.status, sealed }, now)
})

const placeOf = (scope: IdempotencyScope) => ({
  table: "idempotency_record",
  field: "answer",
  account_id: scope.account_id,
  workspace_id: "",
  row_id: `${scope.key_hash} ${scope.route} ${scope.idempotency_key}`
})
