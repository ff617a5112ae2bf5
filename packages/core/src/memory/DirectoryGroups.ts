import { scimLimits } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { type DirectoryGroup, DirectoryGroups, type GroupMember, type MembersChange } from "../ports/directory.ts"
import { compareText, foldName } from "../value/text.ts"
import { mappedMemberships, reconcileDirectory } from "./tables/reconcileDirectory.ts"
import { type Tables, byCreation, pageOf, withoutOwner } from "./tables/Tables.ts"

const nobody: ReadonlySet<string> = new Set()

const changedMembers = (current: ReadonlySet<string>, change: MembersChange): ReadonlySet<string> => {
  if ("all" in change) return new Set(change.all)
  const leaving = new Set(change.remove)
  return new Set([...[...current].filter((id) => !leaving.has(id)), ...change.add])
}

export const directoryGroups = (tables: Tables) => {
  const own = (account_id: string, id: string) => {
    const group = tables.directoryGroups.get(id)
    return group?.account_id === account_id ? group : undefined
  }
  const isTaken = (account_id: string, id: string, name: string): boolean =>
    tables.directoryGroups
      .ofAccount(account_id)
      .some((other) => other.id !== id && foldName(other.display_name) === foldName(name))
  const isKnown = (account_id: string, id: string): boolean => tables.directoryUsers.get(id)?.account_id === account_id
  const userIds = (members: Iterable<string>): readonly string[] =>
    [...members].flatMap((id) => tables.directoryUsers.get(id)?.user_id ?? [])
  const inOrder =
    (by: (member: GroupMember) => string, then: (member: GroupMember) => string) => (a: GroupMember, b: GroupMember) =>
      compareText(by(a), by(b)) || compareText(then(a), then(b))
  const groupOf = ({ group_id }: GroupMember) => group_id
  const memberOf = ({ member_id }: GroupMember) => member_id

  return DirectoryGroups.of({
    insert: (account_id, draft, members, settling) =>
      Effect.sync(() => {
        if (isTaken(account_id, draft.id, draft.display_name)) return "taken"
        if (members.length > scimLimits.members) return "too_many_members"
        if (!members.every((id) => isKnown(account_id, id))) return "unknown_member"
        const group: DirectoryGroup = { ...draft, member_count: members.length }
        tables.directoryGroups.set(group.id, { ...group, account_id })
        tables.groupMembers.set(group.id, new Set(members))
        return { group, ...reconcileDirectory(tables, account_id, { users: userIds(members) }, settling) }
      }),
    find: (account_id, { ids, names, external_ids, members }, { limit, offset }) =>
      Effect.sync(() =>
        tables.directoryGroups
          .ofAccount(account_id)
          .filter(
            ({ id, display_name, external_id }) =>
              ids.includes(id) ||
              names.includes(foldName(display_name)) ||
              (external_id !== null && external_ids.includes(external_id)) ||
              members.some((member) => tables.groupMembers.get(id)?.has(member))
          )
          .sort(byCreation)
          .slice(offset, offset + limit)
          .map(withoutOwner<DirectoryGroup>)
      ),
    list: (account_id, page) =>
      Effect.sync(() => pageOf(tables.directoryGroups.ofAccount(account_id).map(withoutOwner<DirectoryGroup>), page)),
    members: (account_id, groups) =>
      Effect.sync(() =>
        groups
          .flatMap((group_id) =>
            own(account_id, group_id) === undefined
              ? []
              : [...(tables.groupMembers.get(group_id) ?? nobody)].map((member_id): GroupMember => {
                  const display = tables.directoryUsers.get(member_id)?.user_name ?? ""
                  return { group_id, member_id, display }
                })
          )
          .sort(inOrder(groupOf, memberOf))
      ),
    groupsOf: (account_id, users, limit) =>
      Effect.sync(() => {
        const places = new Map(users.map((user, place) => [user, place]))
        const placeOf = ({ member_id }: GroupMember): number => places.get(member_id) ?? 0
        return tables.directoryGroups
          .ofAccount(account_id)
          .flatMap(({ id, display_name }) =>
            [...places.keys()]
              .filter((user) => tables.groupMembers.get(id)?.has(user))
              .map((member_id): GroupMember => ({ group_id: id, member_id, display: display_name }))
          )
          .sort((a, b) => placeOf(a) - placeOf(b) || compareText(a.group_id, b.group_id))
          .slice(0, limit)
      }),
    update: (account_id, id, { members: change, ...names }, settling) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        if (names.display_name !== undefined && isTaken(account_id, id, names.display_name)) return "taken"
        const current = tables.groupMembers.get(id) ?? nobody
        const members = change === undefined ? current : changedMembers(current, change)
        const joined = [...members].filter((member) => !current.has(member))
        const left = [...current].filter((member) => !members.has(member))
        if (!joined.every((member) => isKnown(account_id, member))) return "unknown_member"
        if (members.size > scimLimits.members) return "too_many_members"
        const { given, mappings } = mappedMemberships(tables, account_id, id)
        const more = (members.size - current.size) * mappings
        if (more > 0 && given + more > settling.most_memberships) return "too_many_memberships"
        const before = withoutOwner<DirectoryGroup>(row)
        const named = { ...before, ...names, member_count: members.size }
        const isChanged =
          joined.length + left.length > 0 ||
          named.display_name !== before.display_name ||
          named.external_id !== before.external_id
        const group: DirectoryGroup = isChanged ? { ...named, updated_at: settling.now } : before
        tables.directoryGroups.set(id, { ...group, account_id })
        tables.groupMembers.set(id, members)
        const users = userIds([...joined, ...left])
        return { group, ...reconcileDirectory(tables, account_id, { users }, settling) }
      }),
    remove: (account_id, id, settling) =>
      Effect.sync(() => {
        if (own(account_id, id) === undefined) return "missing"
        const users = userIds(tables.groupMembers.get(id) ?? nobody)
        for (const mapping of tables.groupMappings.ofAccount(account_id))
          if (mapping.group_id === id) tables.groupMappings.delete(mapping.id)
        tables.groupMembers.delete(id)
        tables.directoryGroups.delete(id)
        return reconcileDirectory(tables, account_id, { users }, settling)
      })
  })
}
