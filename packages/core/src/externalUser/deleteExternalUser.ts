import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { updateExternalUser } from "./updateExternalUser.ts"

/** Rule: access#external-users. The name stays registered. */
export const deleteExternalUser = operation("deleteExternalUser")(function* (caller: Caller, user: string) {
  yield* updateExternalUser(caller, user, false)
})
