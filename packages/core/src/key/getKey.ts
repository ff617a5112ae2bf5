import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "./usageOfKeys.ts"
import type { Caller } from "../access/Caller.ts"
import { printedKey } from "./printedKey.ts"
import { requireKey } from "./requireKey.ts"

/** Rule: access#managing-keys. */
export const getKey = operation("getKey")(function* (caller: Caller, hash: string) {
  const key = yield* requireKey(caller, hash)
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  return printedKey(key, usage(hash))
})
