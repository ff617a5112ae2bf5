import { Effect } from "effect"
import { DirectoryUsers } from "../ports/directory.ts"
import { invalid } from "../value/failure.ts"

/** Whether a directory says that the user may not act, so that nobody is given a key in the user's name. Rule: scim#deprovisioning. */
export const isDeprovisioned = Effect.fnUntraced(function* (account_id: string, user_id: string | null) {
  return user_id !== null && (yield* (yield* DirectoryUsers).isInactive(account_id, user_id))
})

/** 400 for a key of such a user. */
export const refuseDeprovisioned = Effect.fnUntraced(function* (
  account_id: string,
  user_id: string | null,
  path: string
) {
  if (yield* isDeprovisioned(account_id, user_id))
    return yield* invalid("user_deprovisioned", path, "The directory says that this user may not act")
})
