/** What changes of a directory do to memberships, and to keys and whatever gives keys. Rule: scim#memberships, scim#deprovisioning. */
import { type MemberRole, type Settled, type Settling, membershipId } from "../../ports/directory.ts"
import { areLastManagementKeys } from "../../key/managementKeys.ts"
import { membershipPlace, type Tables } from "./Tables.ts"

/** Whose memberships are to be as the mappings have them, and who is to lose every membership and key; both by `user_id`. */
export interface Affected {
  readonly users: readonly string[]
  readonly gone?: readonly string[]
  /** A workspace whose memberships stay where no mapping gives them any more: they are the directory's no longer. */
  readonly kept?: string
}

interface Given {
  readonly id: string
  readonly workspace_id: string
  readonly user_id: string
  readonly role: MemberRole
}

/** What the mappings give to these users, by place. */
const givenTo = (tables: Tables, account_id: string, users: ReadonlySet<string>): ReadonlyMap<string, Given> => {
  const given = new Map<string, Given>()
  for (const { group_id, workspace_id, role } of tables.groupMappings.ofAccount(account_id))
    for (const member of tables.groupMembers.get(group_id) ?? []) {
      const user = tables.directoryUsers.get(member)
      if (user === undefined || !user.active || !users.has(user.user_id)) continue
      const place = membershipPlace(workspace_id, user.user_id)
      const isAdmin = role === "admin" || given.get(place)?.role === "admin"
      const id = membershipId(workspace_id, user.id)
      given.set(place, { id, workspace_id, user_id: user.user_id, role: isAdmin ? "admin" : "member" })
    }
  return given
}

/** How many memberships the mappings of an account give, and how many of the mappings this group has. */
export const mappedMemberships = (tables: Tables, account_id: string, group_id: string) => {
  const mappings = tables.groupMappings.ofAccount(account_id)
  return {
    given: mappings.reduce((sum, mapping) => sum + (tables.groupMembers.get(mapping.group_id)?.size ?? 0), 0),
    mappings: mappings.filter((mapping) => mapping.group_id === group_id).length
  }
}

/** Whether the account could not be managed without the keys of those who are to lose them. */
export const wouldLockOut = (
  tables: Tables,
  account_id: string,
  gone: readonly string[],
  { now, spared }: Settling
): boolean => {
  const keys = tables.apiKeys.ofAccount(account_id)
  const ending = keys.filter(({ hash, user_id }) => hash !== spared && user_id !== null && gone.includes(user_id))
  return areLastManagementKeys(new Set(ending.map(({ hash }) => hash)), keys, now)
}

export const reconcileDirectory = (
  tables: Tables,
  account_id: string,
  { users, gone = [], kept }: Affected,
  { now, spared }: Settling
): Settled => {
  const [meant, lost] = [new Set(users), new Set(gone)]
  const given = givenTo(tables, account_id, meant)
  const ended = new Set<string>()
  for (const member of tables.workspaceMembers.ofAccount(account_id)) {
    const { workspace_id, user_id, by_directory } = member
    const place = membershipPlace(workspace_id, user_id)
    if (!lost.has(user_id) && !(by_directory && meant.has(user_id) && !given.has(place))) continue
    if (workspace_id === kept && !lost.has(user_id)) {
      tables.workspaceMembers.set(place, { ...member, by_directory: false })
      continue
    }
    tables.workspaceMembers.delete(place)
    ended.add(place)
  }
  for (const [place, { role, ...fresh }] of given) {
    const member = tables.workspaceMembers.get(place) ?? {
      ...fresh,
      account_id,
      role,
      created_at: now,
      by_directory: true
    }
    tables.workspaceMembers.set(place, { ...member, role, by_directory: true })
  }
  const isLost = ({ user_id, workspace_id }: { user_id: string | null; workspace_id: string | null }): boolean =>
    user_id !== null &&
    (lost.has(user_id) || (workspace_id !== null && ended.has(membershipPlace(workspace_id, user_id))))
  for (const grant of tables.codeGrants.ofAccount(account_id))
    if (grant.spent_at === null && isLost(grant)) tables.codeGrants.delete(grant.code_hash)
  for (const policy of tables.federationPolicies.ofAccount(account_id))
    if (!policy.disabled && isLost(policy))
      tables.federationPolicies.set(policy.id, { ...policy, disabled: true, updated_at: now })
  const disabled = tables.apiKeys
    .ofAccount(account_id)
    .filter((key) => !key.disabled && key.hash !== spared && isLost(key))
  for (const key of disabled) tables.apiKeys.set(key.hash, { ...key, disabled: true, updated_at: now })
  return { keys: disabled.map(({ hash, workspace_id }) => ({ hash, workspace_id })) }
}
