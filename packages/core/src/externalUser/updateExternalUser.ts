import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { ExternalUsers, printedExternalUser } from "../ports/externalUsers.ts"

/** Rule: access#external-users. A deletion deactivates, as this does. */
export const updateExternalUser = operation("updateExternalUser")(function* (
  { account_id }: Caller,
  user: string,
  is_active: boolean
) {
  const updated = yield* (yield* ExternalUsers).update(account_id, user, is_active, yield* timestamp)
  return Option.isSome(updated) ? printedExternalUser(updated.value) : yield* notFound()
})
