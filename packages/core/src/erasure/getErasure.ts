import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { Erasures } from "../ports/erasures.ts"
import { printedErasure } from "./printedErasure.ts"

/** Rule: access#erasures. */
export const getErasure = operation("getErasure")(function* ({ account_id }: Caller, id: string) {
  const erasure = yield* (yield* Erasures).find(account_id, id)
  return Option.isNone(erasure) ? yield* notFound() : printedErasure(erasure.value)
})
