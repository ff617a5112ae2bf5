import { Effect } from "effect"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import type { StoredExternalUser } from "../ports/externalUsers.ts"

/** An active registration that is not kept yet, if the account has room for one. */
export const newExternalUser = Effect.fnUntraced(function* (account_id: string, external_user: string) {
  yield* requireRoom("external_users_per_account", { account_id }, 1, "Erase those who are gone")
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
