import type { UpdateKey } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { refuseDeprovisioned } from "../access/isDeprovisioned.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "./usageOfKeys.ts"
import { ApiKeys, keyChange } from "../ports/keys.ts"
import type { Caller } from "../access/Caller.ts"
import { printedKey } from "./printedKey.ts"

/** Applies at once on this process, within two seconds on every other. Rule: access#changes-take-effect. */
export const updateKey = operation("updateKey")(function* (caller: Caller, hash: string, fields: UpdateKey) {
  const keys = yield* ApiKeys
  if (fields.disabled === false) yield* refuseOwner(caller.account_id, hash)
  // Read first, because nothing may fail after the change.
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  const updated = yield* keys.update(caller.account_id, hash, keyChange(fields), yield* timestamp)
  if (Option.isNone(updated)) {
    // The directory may have said meanwhile that the user may not act.
    if (fields.disabled === false) yield* refuseOwner(caller.account_id, hash)
    return yield* notFound()
  }
  return printedKey(updated.value, usage(hash))
})

const refuseOwner = Effect.fnUntraced(function* (account_id: string, hash: string) {
  const [key] = yield* (yield* ApiKeys).list(account_id, { hashes: [hash] })
  yield* refuseDeprovisioned(account_id, key?.user_id ?? null, "disabled")
})
