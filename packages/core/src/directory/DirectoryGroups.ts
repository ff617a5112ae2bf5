/** The groups that a directory has provisioned in an account, and who is in them. */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { Sought } from "./DirectoryUsers.ts"
import type { Settled, Settling } from "./Settling.ts"

/** Rule: scim#directory-groups. */
export interface DirectoryGroup {
  readonly id: string
  readonly display_name: string
  readonly external_id: string | null
  readonly member_count: number
  readonly created_at: string
  readonly updated_at: string
}

/** A user in a group, both by their ids in the directory. */
export interface GroupMember {
  readonly group_id: string
  readonly member_id: string
  /** Of the group, or of the user: whichever was asked about. */
  readonly display: string
}

/** `all`: these and no others. Otherwise some come and some go; one who is named in both stays or comes. */
export type MembersChange =
  | { readonly all: readonly string[] }
  | { readonly add: readonly string[]; readonly remove: readonly string[] }

export interface GroupChange {
  readonly display_name?: string
  readonly external_id?: string | null
  readonly members?: MembersChange
}

/** Why a group is not written: another one has the name, the directory has no such user, or there are too many. */
export type GroupRefusal = "taken" | "unknown_member" | "too_many_members"

export class DirectoryGroups extends Context.Service<
  DirectoryGroups,
  {
    /** `member_count` of the group is ignored. */
    readonly insert: (
      account_id: string,
      group: DirectoryGroup,
      members: readonly string[],
      settling: Settling
    ) => Effect.Effect<(Settled & { readonly group: DirectoryGroup }) | GroupRefusal>
    /** A page, in list order; `members`: groups with any of these users in them. */
    readonly find: (
      account_id: string,
      sought: Sought & { readonly members: readonly string[] },
      page: PageRequest
    ) => Effect.Effect<readonly DirectoryGroup[]>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<DirectoryGroup>>
    /** Everybody in these groups, by group and user; `display` is the name of the user. */
    readonly members: (account_id: string, groups: readonly string[]) => Effect.Effect<readonly GroupMember[]>
    /** At most `limit` places of these users in groups, in the order of the users, then by group; `display` is the name of the group. */
    readonly groupsOf: (
      account_id: string,
      users: readonly string[],
      limit: number
    ) => Effect.Effect<readonly GroupMember[]>
    /** `updated_at` becomes `settling.now` exactly when something changes. Whoever is in the group stays in one that others change, too. */
    readonly update: (
      account_id: string,
      id: string,
      change: GroupChange,
      settling: Settling
    ) => Effect.Effect<(Settled & { readonly group: DirectoryGroup }) | GroupRefusal | "missing">
    readonly remove: (account_id: string, id: string, settling: Settling) => Effect.Effect<Settled | "missing">
  }
>()("gatewarden/DirectoryGroups") {}
