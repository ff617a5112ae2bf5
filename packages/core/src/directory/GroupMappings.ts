/** Which groups of a directory give which role in which workspaces. */
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { Settled, Settling } from "./Settling.ts"

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
      settling: Settling
    ) => Effect.Effect<Mapped | "no_group" | "no_workspace" | "other_role">
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
