import { Effect, Option } from "effect"
import { ExternalUsers, type StoredExternalUser } from "../ports/externalUsers.ts"
import { type Owned, type Tables, pageOf, withoutOwner } from "./tables/Tables.ts"

export const externalUsers = (tables: Tables) => {
  const own = (account_id: string, external_user: string) =>
    Option.fromUndefinedOr(
      tables.externalUsers.ofAccount(account_id).find((row) => row.external_user === external_user)
    )
  const stored = (row: Owned<StoredExternalUser>): StoredExternalUser => withoutOwner(row)
  return ExternalUsers.of({
    insert: (account_id, row) => Effect.sync(() => registerExternalUser(tables, account_id, row)),
    find: (account_id, external_user) => Effect.sync(() => Option.map(own(account_id, external_user), stored)),
    list: (account_id, { external_user, include_inactive }, page) =>
      Effect.sync(() =>
        pageOf(
          tables.externalUsers
            .ofAccount(account_id)
            .filter(
              (row) =>
                (include_inactive || row.is_active) &&
                (external_user === undefined || row.external_user === external_user)
            )
            .map(stored),
          page
        )
      ),
    update: (account_id, external_user, is_active, now) =>
      Effect.sync(() =>
        Option.map(own(account_id, external_user), (row) => {
          const next = row.is_active === is_active ? row : { ...row, is_active, updated_at: now }
          tables.externalUsers.set(row.id, next)
          return stored(next)
        })
      )
  })
}

/** False when the account has registered the name. */
export const registerExternalUser = (
  { externalUsers: rows }: Tables,
  account_id: string,
  row: StoredExternalUser
): boolean => {
  if (rows.ofAccount(account_id).some(({ external_user }) => external_user === row.external_user)) return false
  rows.set(row.id, { ...row, account_id })
  return true
}
