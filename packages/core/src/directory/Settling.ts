/**
 * What a change of the directory does to memberships and keys, in the same step as the change.
 *
 * Rule: scim#memberships, scim#deprovisioning. Changes of one account's directory happen one after the other.
 */

export interface Settling {
  readonly now: string
  /** The key that the request is made with, which its own request never disables. */
  readonly spared: string
}

/** The keys that were disabled. Beside them go codes that nobody has used, and policies that would give the user keys are disabled. */
export interface Settled {
  readonly keys: readonly { readonly hash: string; readonly workspace_id: string | null }[]
}

/**
 * The id of the membership that the directory gives: a UUIDv8 of the two, the same in every store. There is one membership of a user in a
 * workspace.
 */
export const membershipId = (workspace_id: string, directory_user_id: string): string => {
  const digits = (uuid: string) => uuid.replaceAll("-", "")
  const [left, right] = [digits(workspace_id), digits(directory_user_id)]
  const hex = Array.from(left, (digit, place) => {
    const mixed = Number.parseInt(digit, 16) ^ Number.parseInt(right[place] ?? "0", 16)
    return (place === 12 ? 8 : place === 16 ? (mixed & 3) | 8 : mixed).toString(16)
  }).join("")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}
