/** Operations that prepare their work before the transaction of an `Idempotency-Key`. Rule: requests#idempotency-keys. */
import type { Admission, Operation, Settlement } from "@gatewarden/contract"
import { Effect } from "effect"
import { accountForKey, actingOnAdmission } from "../access/actingAccount.ts"
import { admissionAsked } from "../access/hashOfNamedKey.ts"
import { prepareAdmission, repeatAdmission, withoutBodies } from "../decision/admit.ts"
import { prepareSettlement } from "../decision/settleAdmission.ts"
import type { Failure } from "../value/failure.ts"
import type { Services } from "./Services.ts"
import { data } from "./handlers.ts"
import type { Input } from "./Input.ts"

/** What an operation does for an `Idempotency-Key`, if it takes long before it changes something. */
interface Repeating {
  /** Does what takes long, before a transaction, and returns what is left: the work that commits together with its answer. */
  readonly prepare: (input: unknown) => Effect.Effect<Effect.Effect<unknown, Failure, Services>, Failure, Services>
  /** If its answer repeats bodies of the request. */
  readonly bodies?: {
    /** What is stored of the answer. */
    readonly kept: (answer: unknown) => unknown
    /** Makes the answer from what was stored. */
    readonly again: (kept: unknown, input: unknown) => Effect.Effect<unknown, Failure, Services>
  }
}

const repeatingOf = <const Id extends Operation["id"], A>({
  prepare,
  bodies
}: {
  readonly prepare: (
    input: Input<Extract<Operation, { id: Id }>>
  ) => Effect.Effect<Effect.Effect<A, Failure, Services>, Failure, Services>
  readonly bodies?: {
    readonly kept: (answer: A) => A
    readonly again: (kept: A, input: Input<Extract<Operation, { id: Id }>>) => Effect.Effect<A, Failure, Services>
  }
}): Repeating => ({
  prepare: (input) => Effect.map(prepare(input as Input<Extract<Operation, { id: Id }>>), data),
  ...(bodies && {
    bodies: {
      kept: (answer) => ({ data: bodies.kept((answer as { readonly data: A }).data) }),
      again: (answer, input) =>
        data(bodies.again((answer as { readonly data: A }).data, input as Input<Extract<Operation, { id: Id }>>))
    }
  })
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
    bodies: {
      kept: withoutBodies,
      again: (kept, { caller, body, request }) =>
        Effect.gen(function* () {
          const asked = yield* admissionAsked(body, request)
          return yield* repeatAdmission(yield* accountForKey(caller, asked.api_key_hash), kept, asked, request)
        })
    }
  }),
  settleAdmission: repeatingOf<"settleAdmission", Settlement>({
    prepare: ({ caller, params, body }) =>
      Effect.flatMap(actingOnAdmission(caller, params.id), (acting) => prepareSettlement(acting, params.id, body))
  })
}
