import { scimLimits } from "@gatewarden/contract"
import { Effect } from "effect"
import { DirectoryGroups, type GroupMember } from "../ports/directory.ts"
import { groupedMembers } from "./groupedMembers.ts"

/**
 * The groups of as many of these users, from the first on, as are in so many groups together: of all, or of fewer.
 *
 * A user who alone is in more gets none, rather than some of them. Rule: scim#lists.
 */
export const groupsOfUsers = Effect.fnUntraced(function* (account_id: string, users: readonly string[]) {
  const most = scimLimits.members
  const places = yield* (yield* DirectoryGroups).groupsOf(account_id, users, most + 1)
  const groups = new Map<string, readonly GroupMember[]>(groupedMembers(places, "member_id"))
  if (places.length <= most) return { users, groups }
  // The last one may have more than were read.
  const cut = users.indexOf(places.at(-1)?.member_id ?? "")
  const [alone = ""] = users
  if (cut <= 0) return { users: [alone], groups: new Map<string, readonly GroupMember[]>() }
  return { users: users.slice(0, cut), groups }
})

export const groupsOfUser = (account_id: string, id: string) =>
  Effect.map(groupsOfUsers(account_id, [id]), ({ groups }): readonly GroupMember[] => groups.get(id) ?? [])
