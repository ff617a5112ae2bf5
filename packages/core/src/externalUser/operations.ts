import type {
  CreateExternalUser,
  ExternalUser,
  QueryOf,
  listExternalUsers as declaration
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { ExternalUsers, type StoredExternalUser } from "../ports/externalUsers.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { Conflict, notFound } from "../value/failure.ts"

/** An active registration that is not kept yet, if the account has room for one. */
export const newExternalUser = Effect.fnUntraced(function* (account_id: string, external_user: string) {
  yield* requireQuota("external_users_per_account", { account_id }, 1, "Erase those who are gone")
  const now = yield* timestamp
  const row: StoredExternalUser = {
    id: (yield* Entropy).uuid(),
    external_user,
    is_active: true,
    created_at: now,
    updated_at: now
  }
  return row
})

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

/** Rule: access#external-users. A deletion deactivates, as this does. */
export const updateExternalUser = operation("updateExternalUser")(function* (
  { account_id }: Caller,
  user: string,
  is_active: boolean
) {
  const updated = yield* (yield* ExternalUsers).update(account_id, user, is_active, yield* timestamp)
  return Option.isSome(updated) ? printedExternalUser(updated.value) : yield* notFound()
})

/** Rule: access#external-users. The name stays registered. */
export const deleteExternalUser = operation("deleteExternalUser")(function* (caller: Caller, user: string) {
  yield* updateExternalUser(caller, user, false)
})

/** Rule: access#external-users. */
export const getExternalUser = operation("getExternalUser")(function* ({ account_id }: Caller, user: string) {
  const found = yield* (yield* ExternalUsers).find(account_id, user)
  return Option.isSome(found) ? printedExternalUser(found.value) : yield* notFound()
})

/** Rule: access#external-users. */
export const listExternalUsers = operation("listExternalUsers")(function* (
  { account_id }: Caller,
  { user: external_user, include_inactive, ...page }: QueryOf<typeof declaration>
) {
  const { data, total_count } = yield* (yield* ExternalUsers).list(
    account_id,
    { external_user, include_inactive },
    page
  )
  return { data: data.map(printedExternalUser), total_count }
})

export const printedExternalUser = (row: StoredExternalUser): ExternalUser => ({
  user: row.external_user,
  is_active: row.is_active,
  created_at: row.created_at,
  updated_at: row.updated_at
})
