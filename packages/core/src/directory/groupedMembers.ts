import type { GroupMember } from "../ports/directory.ts"

/** Members by their group, or groups by their member, each looked at once. */
export const groupedMembers = (
  members: readonly GroupMember[],
  by: "group_id" | "member_id"
): ReadonlyMap<string, readonly GroupMember[]> => {
  const grouped = new Map<string, GroupMember[]>()
  for (const member of members) {
    const known = grouped.get(member[by])
    if (known === undefined) grouped.set(member[by], [member])
    else known.push(member)
  }
  return grouped
}
