import { Effect, Option } from "effect"
import { type GroupMapping, GroupMappings, type Settling } from "../ports/directory.ts"
import { mappedMemberships, reconcileDirectory } from "./tables/reconcileDirectory.ts"
import { type Tables, ownWorkspace, pageOf, withoutOwner } from "./tables/Tables.ts"

export const groupMappings = (tables: Tables) => {
  const own = (account_id: string, id: string) => {
    const mapping = tables.groupMappings.get(id)
    return mapping?.account_id === account_id ? mapping : undefined
  }
  const usersIn = (group_id: string): readonly string[] =>
    [...(tables.groupMembers.get(group_id) ?? [])].flatMap((id) => tables.directoryUsers.get(id)?.user_id ?? [])
  const settled = (account_id: string, group_id: string, settling: Settling) =>
    reconcileDirectory(tables, account_id, { users: usersIn(group_id) }, settling)

  return GroupMappings.of({
    insert: (account_id, draft, settling) =>
      Effect.sync(() => {
        if (tables.directoryGroups.get(draft.group_id)?.account_id !== account_id) return "no_group"
        if (ownWorkspace(tables, account_id, draft.workspace_id) === undefined) return "no_workspace"
        const held = tables.groupMappings
          .ofAccount(account_id)
          .find(({ group_id, workspace_id }) => group_id === draft.group_id && workspace_id === draft.workspace_id)
        if (held !== undefined && held.role !== draft.role) return "other_role"
        const more = held === undefined ? (tables.groupMembers.get(draft.group_id)?.size ?? 0) : 0
        const { given } = mappedMemberships(tables, account_id, draft.group_id)
        if (more > 0 && given + more > settling.most_memberships) return "too_many_memberships"
        const mapping = held === undefined ? draft : withoutOwner<GroupMapping>(held)
        tables.groupMappings.set(mapping.id, { ...mapping, account_id })
        return { mapping, ...settled(account_id, mapping.group_id, settling) }
      }),
    find: (account_id, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(own(account_id, id)), withoutOwner<GroupMapping>)),
    list: (account_id, page) =>
      Effect.sync(() => pageOf(tables.groupMappings.ofAccount(account_id).map(withoutOwner<GroupMapping>), page)),
    update: (account_id, id, role, settling) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        const before = withoutOwner<GroupMapping>(row)
        const mapping = before.role === role ? before : { ...before, role, updated_at: settling.now }
        tables.groupMappings.set(id, { ...mapping, account_id })
        return { mapping, ...settled(account_id, mapping.group_id, settling) }
      }),
    remove: (account_id, id, keep, settling) =>
      Effect.sync(() => {
        const mapping = own(account_id, id)
        if (mapping === undefined) return "missing"
        tables.groupMappings.delete(id)
        const affected = { users: usersIn(mapping.group_id), ...(keep ? { kept: mapping.workspace_id } : {}) }
        return reconcileDirectory(tables, account_id, affected, settling)
      })
  })
}
