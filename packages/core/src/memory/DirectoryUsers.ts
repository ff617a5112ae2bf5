import { Effect, Equal, Result } from "effect"
import { type DirectoryUser, DirectoryUsers } from "../ports/directory.ts"
import { foldName } from "../value/text.ts"
import { reconcileDirectory, wouldLockOut } from "./tables/reconcileDirectory.ts"
import { type Tables, byCreation, isInactiveUser, pageOf, withoutOwner } from "./tables/Tables.ts"

export const directoryUsers = (tables: Tables) => {
  const own = (account_id: string, id: string) => {
    const user = tables.directoryUsers.get(id)
    return user?.account_id === account_id ? user : undefined
  }
  const isTaken = (account_id: string, { id, user_id, user_name }: DirectoryUser): boolean =>
    tables.directoryUsers
      .ofAccount(account_id)
      .some(
        (other) => other.id !== id && (other.user_id === user_id || foldName(other.user_name) === foldName(user_name))
      )
  return DirectoryUsers.of({
    insert: (account_id, user, settling) =>
      Effect.sync(() => {
        if (isTaken(account_id, user)) return "taken"
        const gone = user.active ? [] : [user.user_id]
        if (wouldLockOut(tables, account_id, gone, settling)) return "last_management_key"
        tables.directoryUsers.set(user.id, { ...user, account_id })
        return reconcileDirectory(tables, account_id, { users: [], gone }, settling)
      }),
    find: (account_id, { ids, names, external_ids }, { limit, offset }) =>
      Effect.sync(() =>
        tables.directoryUsers
          .ofAccount(account_id)
          .filter(
            ({ id, user_name, external_id }) =>
              ids.includes(id) ||
              names.includes(foldName(user_name)) ||
              (external_id !== null && external_ids.includes(external_id))
          )
          .sort(byCreation)
          .slice(offset, offset + limit)
          .map(withoutOwner<DirectoryUser>)
      ),
    list: (account_id, page) =>
      Effect.sync(() => pageOf(tables.directoryUsers.ofAccount(account_id).map(withoutOwner<DirectoryUser>), page)),
    update: (account_id, id, revise, settling) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        const user = withoutOwner<DirectoryUser>(row)
        const revision = revise(user)
        if (Result.isFailure(revision)) return { refused: revision.failure }
        const revised = revision.success
        if (isTaken(account_id, revised)) return "taken"
        const next = Equal.equals(revised, user) ? user : { ...revised, updated_at: settling.now }
        const gone = next.active ? [] : [next.user_id]
        if (wouldLockOut(tables, account_id, gone, settling)) return "last_management_key"
        tables.directoryUsers.set(id, { ...next, account_id })
        const users = user.active === next.active ? [] : [next.user_id]
        return { user: next, ...reconcileDirectory(tables, account_id, { users, gone }, settling) }
      }),
    isInactive: (account_id, user_id) => Effect.sync(() => isInactiveUser(tables, account_id, user_id)),
    remove: (account_id, id, settling) =>
      Effect.sync(() => {
        const user = own(account_id, id)
        if (user === undefined) return "missing"
        if (wouldLockOut(tables, account_id, [user.user_id], settling)) return "last_management_key"
        for (const group of tables.directoryGroups.ofAccount(account_id)) {
          const members = tables.groupMembers.get(group.id) ?? new Set()
          if (!members.has(id)) continue
          const rest = new Set([...members].filter((member) => member !== id))
          tables.groupMembers.set(group.id, rest)
          tables.directoryGroups.set(group.id, { ...group, member_count: rest.size, updated_at: settling.now })
        }
        tables.directoryUsers.delete(id)
        return reconcileDirectory(tables, account_id, { users: [], gone: [user.user_id] }, settling)
      })
  })
}
