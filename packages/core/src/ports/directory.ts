import { Context, type Effect, type Option, type Result } from "effect"
import type { BadRequest } from "../value/failure.ts"
import type { Page, PageRequest } from "../value/Page.ts"

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

/** The groups that a directory has provisioned in an account, and who is in them. */
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
      settling: Giving
    ) => Effect.Effect<
      (Settled & { readonly group: DirectoryGroup }) | GroupRefusal | "missing" | "too_many_memberships"
    >
    readonly remove: (account_id: string, id: string, settling: Settling) => Effect.Effect<Settled | "missing">
  }
>()("gatewarden/DirectoryGroups") {}

/** Rule: scim#directory-users. */
export interface DirectoryUser {
  readonly id: string
  /** The id of the user in Gatewarden: the first `userName`. It never changes. */
  readonly user_id: string
  readonly user_name: string
  readonly external_id: string | null
  readonly active: boolean
  /** What else the directory tells of the user, by the names of SCIM. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly created_at: string
  readonly updated_at: string
}

/** Finds what has any of these. Names are folded (`foldName`). */
export interface Sought {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly external_ids: readonly string[]
}

/** The users that a directory has provisioned in an account. */
export class DirectoryUsers extends Context.Service<
  DirectoryUsers,
  {
    /**
     * `taken`: another user has the name, or has the same `user_id`. `last_management_key`, here and below: nothing changed, because the
     * account could not be managed without the user's keys (`areLastManagementKeys`).
     */
    readonly insert: (
      account_id: string,
      user: DirectoryUser,
      settling: Settling
    ) => Effect.Effect<Settled | "taken" | "last_management_key">
    /** A page, in list order, which ends by bytes as a list does. */
    readonly find: (account_id: string, sought: Sought, page: PageRequest) => Effect.Effect<readonly DirectoryUser[]>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<DirectoryUser>>
    /**
     * Writes what `revise` makes of the user, whom nobody else changes meanwhile; `updated_at` becomes `settling.now` exactly when that
     * changes something. One who is not active loses every membership and key, in the same step; so it is when nothing changes, for what
     * came to be beside the change before. `refused`: by `revise`.
     */
    readonly update: (
      account_id: string,
      id: string,
      revise: (user: DirectoryUser) => Result.Result<DirectoryUser, BadRequest>,
      settling: Settling
    ) => Effect.Effect<
      | (Settled & { readonly user: DirectoryUser })
      | { readonly refused: BadRequest }
      | "missing"
      | "taken"
      | "last_management_key"
    >
    /** Whether there is such a user, by the id of Gatewarden, who is not active. */
    readonly isInactive: (account_id: string, user_id: string) => Effect.Effect<boolean>
    /** The user, with memberships and keys as one who is not active. */
    readonly remove: (
      account_id: string,
      id: string,
      settling: Settling
    ) => Effect.Effect<Settled | "missing" | "last_management_key">
  }
>()("gatewarden/DirectoryUsers") {}

export type MemberRole = "admin" | "member"

/** Rule: scim#mappings. */
export interface GroupMapping {
  readonly id: string
  readonly group_id: string
  readonly workspace_id: string
  readonly role: MemberRole
  readonly created_at: string
  readonly updated_at: string
}

type Mapped = Settled & { readonly mapping: GroupMapping }

/** Which groups of a directory give which role in which workspaces. */
export class GroupMappings extends Context.Service<
  GroupMappings,
  {
    /**
     * The mapping of this group to this workspace, which may be there already with the same role; either way its memberships are given.
     * `other_role`: nothing was done, because the one that is there gives another role.
     */
    readonly insert: (
      account_id: string,
      mapping: GroupMapping,
      settling: Giving
    ) => Effect.Effect<Mapped | "no_group" | "no_workspace" | "other_role" | "too_many_memberships">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<GroupMapping>>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<GroupMapping>>
    /** `updated_at` becomes `settling.now` exactly when the role changes. */
    readonly update: (
      account_id: string,
      id: string,
      role: MemberRole,
      settling: Settling
    ) => Effect.Effect<Mapped | "missing">
    /** `keep`: memberships that no other mapping gives stay, and are the directory's no more. */
    readonly remove: (
      account_id: string,
      id: string,
      keep: boolean,
      settling: Settling
    ) => Effect.Effect<Settled | "missing">
  }
>()("gatewarden/GroupMappings") {}

/** Rule: scim#sync-jobs. */
export interface SyncJob {
  readonly id: string
  readonly status: "queued" | "running" | "succeeded"
  readonly synced_groups: number
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** What a batch did: how many groups it settled or jobs it ended, and the keys that it disabled. */
export interface SyncedGroups {
  readonly handled: number
  /** Whose group or job; `null` when there was none. */
  readonly account_id: string | null
  readonly keys: readonly { readonly account_id: string; readonly hash: string; readonly workspace_id: string | null }[]
}

/** Jobs that give the memberships of all mapped groups anew. Of an account the last one is kept. */
export class SyncJobs extends Context.Service<
  SyncJobs,
  {
    /** The account's job that is not finished; else this one, in place of the last one. */
    readonly start: (account_id: string, id: string, now: string) => Effect.Effect<SyncJob>
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<SyncJob>>
    /**
     * Settles the next group of a job that is not finished, or ends the job; 0 when there is none. Accounts take turns by id: it is the
     * job of the first account behind `after`, else of the first of all.
     */
    readonly advance: (now: string, after: string | null) => Effect.Effect<SyncedGroups>
  }
>()("gatewarden/SyncJobs") {}

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

/** Of a change that may give memberships. `too_many_memberships`: it would, and the mappings of the account would give more than these. */
type Giving = Settling & {
  /** A mapping gives one to each member of its group. Rule: scim#memberships. */
  readonly most_memberships: number
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
