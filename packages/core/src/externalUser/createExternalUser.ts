import type { CreateExternalUser } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { Conflict } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { ExternalUsers, printedExternalUser } from "../ports/externalUsers.ts"
import { newExternalUser } from "./newExternalUser.ts"

/** Rule: access#external-users. */
export const createExternalUser = operation("createExternalUser")(function* (
  { account_id }: Caller,
  { user }: CreateExternalUser
) {
  const row = yield* newExternalUser(account_id, user)
  if (yield* (yield* ExternalUsers).insert(account_id, row)) return printedExternalUser(row)
  const message = "This name is registered already"
  return yield* new Conflict({
    reason: "external_user_exists",
    issues: [{ path: "user", code: "external_user_exists", message }]
  })
})
