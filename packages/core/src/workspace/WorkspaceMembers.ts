/** The members of workspaces. */
import type { WorkspaceMember } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

/** A user, and the id that the membership is to have if it is new. */
export interface NewMember {
  readonly user_id: string
  readonly id: string
}

export class WorkspaceMembers extends Context.Service<
  WorkspaceMembers,
  {
    readonly list: (account_id: string, workspace_id: string, page: PageRequest) => Effect.Effect<Page<WorkspaceMember>>
    /** The memberships of all named users, in list order; existing ones stay unchanged. */
    readonly add: (
      account_id: string,
      workspace_id: string,
      users: readonly NewMember[],
      now: string
    ) => Effect.Effect<readonly WorkspaceMember[] | "missing">
    /** The number of users who were members. `has_keys`: one of them has a live key in the workspace; nothing was done. */
    readonly remove: (
      account_id: string,
      workspace_id: string,
      users: readonly string[],
      now: string
    ) => Effect.Effect<number | "missing" | "has_keys">
  }
>()("gatewarden/WorkspaceMembers") {}
