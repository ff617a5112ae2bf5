/** Operations that prepare their work before the transaction of an `Idempotency-Key`. Rule: requests#idempotency-keys. */
import type { Admission, Operation } from "@gatewarden/contract"
import { Effect } from "effect"
import { accountForKey } from "../access/actingAccount.ts"
import { admissionAsked } from "../access/hashOfNamedKey.ts"
import { prepareAdmission, repeatAdmission, withoutBodies } from "../decision/admit.ts"
import type { Failure } from "../failure.ts"
import type { Services } from "../ports.ts"
import { data } from "./handlers.ts"
import type { Input } from "./Input.ts"

/**
 * What an operation does for an `Idempotency-Key`, if it takes long before it changes something, and if its answer repeats bodies of the
 * request.
 */
interface Repeating {
  /** Does what takes long, before a transaction, and returns what is left: the work that commits together with its answer. */
  readonly prepare: (input: unknown) => Effect.Effect<Effect.Effect<unknown, Failure, Services>, Failure, Services>
  /** What is stored of the answer. */
  readonly kept: (answer: unknown) => unknown
  /** Makes the answer from what was stored. */
  readonly again: (kept: unknown, input: unknown) => Effect.Effect<unknown, Failure, Services>
}

const repeatingOf = <const Id extends Operation["id"], A>({
  prepare,
  kept,
  again
}: {
  readonly prepare: (
    input: Input<Extract<Operation, { id: Id }>>
  ) => Effect.Effect<Effect.Effect<A, Failure, Services>, Failure, Services>
  readonly kept: (answer: A) => A
  readonly again: (kept: A, input: Input<Extract<Operation, { id: Id }>>) => Effect.Effect<A, Failure, Services>
}): Repeating => ({
  prepare: (input) => Effect.map(prepare(input as Input<Extract<Operation, { id: Id }>>), data),
  kept: (answer) => ({ data: kept((answer as { readonly data: A }).data) }),
  again: (answer, input) =>
    data(again((answer as { readonly data: A }).data, input as Input<Extract<Operation, { id: Id }>>))
})

export const repeatings: Partial<Record<Operation["id"], Repeating>> = {
  createAdmission: repeatingOf<"createAdmission", Admission>({
    prepare: ({ caller, body, request }) =>
      Effect.gen(function* () {
        const asked = yield* admissionAsked(body, request)
        const account_id = yield* accountForKey(caller, asked.api_key_hash)
        const prepared = yield* prepareAdmission(account_id, asked, request, caller.is_operator)
        return Effect.map(prepared, ({ admission }) => admission)
      }),
    kept: withoutBodies,
    again: (kept, { caller, body, request }) =>
      Effect.gen(function* () {
        const asked = yield* admissionAsked(body, request)
        return yield* repeatAdmission(yield* accountForKey(caller, asked.api_key_hash), kept, asked, request)
      })
  })
}
