import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { ByokCredentials } from "../ports/byok.ts"

/** Rule: secrets#never-shown. */
export const getByokCredential = operation("getByokCredential")(function* (caller: Caller, id: string) {
  const found = yield* (yield* ByokCredentials).find(caller.account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
})
