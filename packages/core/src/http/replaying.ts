/**
 * Does the work of a POST once per `Idempotency-Key`.
 *
 * Rule: requests#idempotency-keys. Same key, caller, path and body within 24 hours: the first 2xx answer again, with
 * `Idempotent-Replayed: true`; another body or query: 400; while the first is in flight the second waits.
 */
import type { Admission, Operation, Settlement } from "@gatewarden/contract/internal"
import { Deferred, Effect, Fiber, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { accountForKey, actingOnAdmission, admissionAsked, noAccount } from "../access/actingAccount.ts"
import { type KeptAdmission, keptAdmission, prepareAdmission, repeatAdmission } from "../decision/admit.ts"
import { prepareSettlement } from "../decision/settleAdmission.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import {
  type IdempotencyAnswer,
  IdempotencyRecords,
  type IdempotencyScope,
  contextOfAnswer
} from "../ports/idempotency.ts"
import { joiningBytes, pieceBytes } from "../value/bytes.ts"
import { BadRequest, type Failure, RateLimited } from "../value/failure.ts"
import { inSlices } from "../value/inSlices.ts"
import { Vault } from "../vault/Vault.ts"
import type { Services } from "./Services.ts"
import { data } from "./handlers.ts"
import type { ReadBody } from "./readBody.ts"
import type { Input } from "./readQuery.ts"

export interface Answer {
  readonly status: number
  /** A text, or the UTF-8 of a long one in pieces. */
  readonly body: string | readonly Uint8Array[]
  /** Of an answer that was printed before. */
  readonly etag?: string
  /** Default: JSON. */
  readonly contentType?: string | undefined
  /** JSON that is stored in place of the body, from which `again` makes it. */
  readonly kept?: string | undefined
}

interface Repeatable<E, R> {
  /** Method and path. */
  readonly route: string
  /** What the operation knows of the query. */
  readonly query: unknown
  readonly caller: Caller
  readonly body: ReadBody
  /** Whether the operation changes something. Otherwise nothing is stored, and a repetition does the work again. */
  readonly changes: boolean
  /** Whether a data plane calls it, for which a refusal loses a charge. Its answer is short, and is stored whatever the quota is. */
  readonly ofDataPlane: boolean
  /** Does what takes long, before a transaction, and returns what is left of `run`, which commits together with its answer. */
  readonly prepare: Effect.Effect<Effect.Effect<Answer, E, R>, E, R> | undefined
  /** Makes the body of a repeated answer from what was stored in its place; absent if the body itself is stored. */
  readonly again: ((kept: unknown) => Effect.Effect<Answer["body"], E, R>) | undefined
  /** Whether all work is done in the store, so that it commits together with its answer. */
  readonly atomic: boolean
  /** Of such work, when it is the account's turn (Rule: requests#changes-at-once). */
  readonly inTurn: <A, F, S>(work: Effect.Effect<A, F, S>) => Effect.Effect<A, F | Failure, S>
  /** What others of this process repeat. */
  readonly repetitions: Repetitions
}

/** The lease of a claim, and how often a live process renews it. */
const leaseMillis = 5_000
const renewalInterval = "2 seconds"
/** How often this process polls for the result of another process: frequently at first, because most work is short. */
const firstPollMillis = 25
const lastPollMillis = 250

const keyPattern = /^[\x21-\x7e]{1,255}$/

const tooManyRepetitions = () =>
  new RateLimited({
    reason: "too_many_repetitions",
    issues: [
      {
        path: "header.idempotency-key",
        code: "too_many_repetitions",
        message: "Expected fewer requests at once with this Idempotency-Key"
      }
    ],
    retryAfterSeconds: 1
  })

const afterADay = "Send the request without Idempotency-Key, or wait until stored responses end after 24 hours"

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Bytes of an answer up to which it is one text, and of a piece of a longer one. */
const pieceSize = 65_536

const bodyOf = (bytes: Uint8Array): Answer["body"] =>
  bytes.length <= pieceSize ? text.decode(bytes) : pieceBytes(bytes, pieceSize)

/** `key`: the header's. `headers`: of the answer. */
export const replaying = <E, R>(
  key: string,
  { route, query, caller, body, atomic, inTurn, changes, ofDataPlane, prepare, again, repetitions }: Repeatable<E, R>,
  run: Effect.Effect<Answer, E, R>,
  headers: Record<string, string>
) =>
  Effect.gen(function* () {
    if (!keyPattern.test(key)) return yield* new BadRequest({ reason: "invalid_idempotency_key" })
    if (!changes) return yield* run
    const records = yield* IdempotencyRecords
    const vault = yield* Vault
    const { sha256Hex } = yield* Digest
    const token = (yield* Entropy).uuid()
    const request_hash = yield* sha256Hex(`${route} ${key}`)
    // A repetition with another workspace or provider is another request.
    const asked = JSON.stringify(query)
    const hash = asked === "{}" ? body.hash : Effect.flatMap(body.hash, (hash) => sha256Hex(`${asked} ${hash}`))
    // A gateway key acts for all accounts, whose requests must not use up the quota of the account that it is stored in.
    const account_id = caller.kind === "gateway" ? noAccount : caller.account_id
    const scope = { account_id, key_hash: caller.key_hash, request_hash }

    const finishing = Effect.fnUntraced(function* (answering: Effect.Effect<Answer, E, R>) {
      const answer = yield* answering
      const kept = answer.kept ?? answer.body
      const bytes = typeof kept === "string" ? utf8.encode(kept) : yield* inSlices(joiningBytes(kept))
      const sealed = yield* vault.sealBytes(Redacted.make(bytes), contextOfAnswer(scope))
      return { answer, kept: { body_hash: yield* hash, status: answer.status, sealed } }
    })
    // If the release fails, a repetition waits for the lease; the answer or failure of this request stands.
    const claimed = <A, F, S>(effect: Effect.Effect<A, F, S>) =>
      Effect.onError(renewing(scope, token, effect), () => Effect.ignoreCause(records.release(scope, token)))

    const replay = Effect.fnUntraced(function* (answer: IdempotencyAnswer) {
      if ((yield* hash) !== answer.body_hash) return yield* new BadRequest({ reason: "idempotency_key_reused" })
      headers["idempotent-replayed"] = "true"
      const opened = yield* Effect.orDie(vault.openBytes(answer.sealed, contextOfAnswer(scope)))
      const bytes = Redacted.value(opened)
      const body = again === undefined ? bodyOf(bytes) : yield* again(JSON.parse(text.decode(bytes)))
      return { status: answer.status, body }
    })

    /** Claims the work and does it, or waits for another process that has. */
    const first = Effect.fnUntraced(function* (learn: (answer: IdempotencyAnswer) => void) {
      for (let pollMillis = firstPollMillis; ; pollMillis = Math.min(2 * pollMillis, lastPollMillis)) {
        const claim = yield* records.claim(scope, token, leaseMillis)
        if (claim.kind === "answered") {
          learn(claim.answer)
          return yield* replay(claim.answer)
        }
        if (claim.kind === "in_flight") {
          yield* Effect.interruptible(Effect.sleep(pollMillis))
          continue
        }
        if (!ofDataPlane) yield* claimed(requireQuota("idempotency_bytes_per_account", caller, 1, afterADay))
        if (!atomic) {
          const done = yield* claimed(finishing(run))
          learn(done.kept)
          // The work is committed, so its answer is valid whatever happens to the record.
          yield* Effect.ignoreCause(records.complete(scope, token, Effect.succeed(done)))
          return done.answer
        }
        const left = prepare === undefined ? run : yield* claimed(prepare)
        const done = yield* claimed(inTurn(records.complete(scope, token, finishing(left))))
        // None: this process paused for so long that another one took the claim over.
        if (Option.isSome(done)) {
          learn(done.value.kept)
          return done.value.answer
        }
      }
    })

    for (;;) {
      const turn = repetitions.enter(`${caller.account_id} ${caller.key_hash} ${request_hash}`)
      if (turn.kind === "too_many") return yield* tooManyRepetitions()
      if (turn.kind === "first") {
        let learned: IdempotencyAnswer | undefined
        return yield* Effect.onExit(
          first((answer) => (learned = answer)),
          () => turn.leave(learned)
        )
      }
      const answer = yield* turn.outcome
      // None: the first request failed, so the next one does the work.
      if (answer !== undefined) return yield* replay(answer)
    }
  })

/** Keeps a claim alive while its work is done. */
const renewing = Effect.fnUntraced(function* <A, E, R>(
  scope: IdempotencyScope,
  token: string,
  work: Effect.Effect<A, E, R>
) {
  const records = yield* IdempotencyRecords
  const renewal = Effect.gen(function* () {
    yield* Effect.sleep(renewalInterval)
    yield* Effect.ignoreCause(records.renew(scope, token, leaseMillis))
  })
  const alive = yield* Effect.forkChild(Effect.interruptible(Effect.forever(renewal)))
  return yield* Effect.ensuring(work, Fiber.interrupt(alive))
})

/** How many may wait for one. */
const maxWaiting = 100

type Outcome = IdempotencyAnswer | undefined

interface UnderWay {
  readonly outcome: Deferred.Deferred<Outcome>
  waiting: number
}

export type Turn =
  /** This is the first request. Call the function with its answer, or with none. */
  | { readonly kind: "first"; readonly leave: (outcome: Outcome) => Effect.Effect<void> }
  /** The answer of the first request; undefined if it had none. */
  | { readonly kind: "waiting"; readonly outcome: Effect.Effect<Outcome> }
  | { readonly kind: "too_many" }

/**
 * Concurrent repetitions of one request in this process: one of them asks the store, the others wait for its result.
 *
 * Rule: requests#idempotency-keys. Without it each of a hundred impatient clients would ask the
 * database forty times a second.
 */
export class Repetitions {
  readonly #underWay = new Map<string, UnderWay>()

  enter(what: string): Turn {
    const known = this.#underWay.get(what)
    if (known === undefined) {
      const outcome = Deferred.makeUnsafe<Outcome>()
      this.#underWay.set(what, { outcome, waiting: 0 })
      const leave = (came: Outcome) =>
        Effect.suspend(() => {
          this.#underWay.delete(what)
          return Deferred.succeed(outcome, came)
        })
      return { kind: "first", leave: (came) => Effect.asVoid(leave(came)) }
    }
    if (known.waiting === maxWaiting) return { kind: "too_many" }
    known.waiting++
    return {
      kind: "waiting",
      outcome: Effect.ensuring(
        // A waiting request has begun nothing, so it may be interrupted.
        Effect.interruptible(Deferred.await(known.outcome)),
        Effect.sync(() => known.waiting--)
      )
    }
  }
}

/** The answer of an operation, and what is stored in its place if it repeats bodies of the request. */
export interface Prepared<A = unknown, K = unknown> {
  readonly answer: A
  readonly kept?: K
}

/** What an operation does for an `Idempotency-Key`, if it takes long before it changes something. */
interface Repeating {
  /** Does what takes long, before a transaction, and returns what is left: the work that commits together with its answer. */
  readonly prepare: (input: unknown) => Effect.Effect<Effect.Effect<Prepared, Failure, Services>, Failure, Services>
  /** Makes the answer from what was stored in its place. */
  readonly again?: (kept: unknown, input: unknown) => Effect.Effect<unknown, Failure, Services>
}

const repeatingOf = <const Id extends Operation["id"], A, K = never>({
  prepare,
  again
}: {
  readonly prepare: (
    input: Input<Extract<Operation, { id: Id }>>
  ) => Effect.Effect<Effect.Effect<Prepared<A, K>, Failure, Services>, Failure, Services>
  readonly again?: (kept: K, input: Input<Extract<Operation, { id: Id }>>) => Effect.Effect<A, Failure, Services>
}): Repeating => ({
  prepare: (input) =>
    Effect.map(
      prepare(input as Input<Extract<Operation, { id: Id }>>),
      Effect.map(({ answer, ...rest }) => ({ answer: { data: answer }, ...rest }))
    ),
  ...(again && { again: (kept, input) => data(again(kept as K, input as Input<Extract<Operation, { id: Id }>>)) })
})

/** Operations that prepare their work before the transaction of an `Idempotency-Key`. Rule: requests#idempotency-keys. */
export const repeatings: Partial<Record<Operation["id"], Repeating>> = {
  createAdmission: repeatingOf<"createAdmission", Admission, KeptAdmission>({
    prepare: ({ caller, body, request }) =>
      Effect.gen(function* () {
        const asked = yield* admissionAsked(body, request)
        const account_id = yield* accountForKey(caller, asked.api_key_hash)
        const prepared = yield* prepareAdmission(account_id, asked, request, caller.is_operator)
        return Effect.map(prepared, (admitted) => ({ answer: admitted.admission, kept: keptAdmission(admitted) }))
      }),
    again: (kept, { caller, body, request }) =>
      Effect.gen(function* () {
        const asked = yield* admissionAsked(body, request)
        return yield* repeatAdmission(yield* accountForKey(caller, asked.api_key_hash), kept, asked, request)
      })
  }),
  settleAdmission: repeatingOf<"settleAdmission", Settlement>({
    prepare: ({ caller, params, body }) =>
      Effect.map(
        Effect.flatMap(actingOnAdmission(caller, params.id), (acting) => prepareSettlement(acting, params.id, body)),
        Effect.map((answer) => ({ answer }))
      )
  })
}
