import type { UpdateKey } from "@gatewarden/contract"
import { Option } from "effect"
import { notFound } from "../failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "../usage/usageOfKeys.ts"
import { ApiKeys } from "./ApiKeys.ts"
import type { Caller } from "../access/Caller.ts"
import { keyChange } from "./keyChange.ts"
import { printedKey } from "./printedKey.ts"

/** Applies at once on this process, within two seconds on every other. Rule: access#changes-take-effect. */
export const updateKey = operation("updateKey")(function* (caller: Caller, hash: string, fields: UpdateKey) {
  // Read first, because nothing may fail after the change.
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  const updated = yield* (yield* ApiKeys).update(caller.account_id, hash, keyChange(fields), yield* timestamp)
  if (Option.isNone(updated)) return yield* notFound()
  return printedKey(updated.value, usage(hash))
})
