import type { WorkspaceMember } from "@gatewarden/contract"
import { Effect } from "effect"
import { contactOf } from "../directory/directoryResource.ts"
import { isLive } from "../access/liveKeys.ts"
import { compareText } from "../value/text.ts"
import { WorkspaceMembers } from "../ports/workspaces.ts"
import { type Owned, type Tables, byCreation, membershipPlace, ownWorkspace, pageOf } from "./tables/Tables.ts"

const printed = ({
  account_id: _,
  by_directory: __,
  ...member
}: Owned<WorkspaceMember> & { by_directory: boolean }): WorkspaceMember => member

export const workspaceMembers = (tables: Tables) =>
  WorkspaceMembers.of({
    list: (account_id, workspace_id, page) =>
      Effect.sync(() => {
        const rows = tables.workspaceMembers.ofAccount(account_id).filter((row) => row.workspace_id === workspace_id)
        return pageOf(rows.map(printed), page)
      }),
    add: (account_id, workspace_id, users, now) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const members = users.map(({ user_id, id }) => {
          const place = membershipPlace(workspace_id, user_id)
          const member = tables.workspaceMembers.get(place) ?? {
            id,
            account_id,
            workspace_id,
            user_id,
            role: "member" as const,
            created_at: now,
            by_directory: false
          }
          tables.workspaceMembers.set(place, member)
          return printed(member)
        })
        return members.sort(byCreation)
      }),
    remove: (account_id, workspace_id, users, now) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const members = users.filter((user_id) => tables.workspaceMembers.has(membershipPlace(workspace_id, user_id)))
        const busy = tables.apiKeys
          .ofAccount(account_id)
          .some(
            (key) =>
              key.workspace_id === workspace_id &&
              key.user_id !== null &&
              members.includes(key.user_id) &&
              isLive(key, now)
          )
        if (busy) return "has_keys"
        if (
          members.some((user_id) => tables.workspaceMembers.get(membershipPlace(workspace_id, user_id))?.by_directory)
        )
          return "by_directory"
        for (const user_id of members) tables.workspaceMembers.delete(membershipPlace(workspace_id, user_id))
        return members.length
      }),
    users: (account_id, { limit, offset }, now) =>
      Effect.sync(() => {
        const users = new Map<string, boolean>()
        const provisioned = tables.directoryUsers.ofAccount(account_id)
        for (const { user_id } of [...tables.workspaceMembers.ofAccount(account_id), ...provisioned])
          users.set(user_id, false)
        for (const key of tables.apiKeys.ofAccount(account_id)) {
          if (key.user_id === null) continue
          const is_admin = key.kind === "management" && isLive(key, now)
          users.set(key.user_id, users.get(key.user_id) === true || is_admin)
        }
        const sorted = [...users].sort(([a], [b]) => compareText(a, b))
        const contacts = new Map(provisioned.map((user) => [user.user_id, contactOf(user)]))
        return {
          data: sorted
            .slice(offset, offset + limit)
            .map(([id, is_admin]) => ({ id, is_admin, contact: contacts.get(id) ?? null })),
          total_count: sorted.length
        }
      })
  })
