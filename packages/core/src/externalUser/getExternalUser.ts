import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { ExternalUsers, printedExternalUser } from "../ports/externalUsers.ts"

/** Rule: access#external-users. */
export const getExternalUser = operation("getExternalUser")(function* ({ account_id }: Caller, user: string) {
  const found = yield* (yield* ExternalUsers).find(account_id, user)
  return Option.isSome(found) ? printedExternalUser(found.value) : yield* notFound()
})
