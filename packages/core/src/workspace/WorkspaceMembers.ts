/** The members of workspaces, and the users of accounts, whom memberships and keys name. */
import type { WorkspaceMember } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

/** A user, and the id that the membership is to have if it is new. */
export interface NewMember {
  readonly user_id: string
  readonly id: string
}

export interface User {
  readonly id: string
  /** Whether a live management key names the user. */
  readonly is_admin: boolean
  /** What a directory tells of the user; `null`: none has provisioned the user. */
  readonly contact: Contact | null
}

export interface Contact {
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
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
    /**
     * The number of users who were members. Nothing was done: `has_keys`, one of them has a live key in the workspace; `by_directory`, a
     * directory gives one of the memberships.
     */
    readonly remove: (
      account_id: string,
      workspace_id: string,
      users: readonly string[],
      now: string
    ) => Effect.Effect<number | "missing" | "has_keys" | "by_directory">
    /** Everybody whom a membership, a key or a directory of the account names, each once, by id. */
    readonly users: (account_id: string, page: PageRequest, now: string) => Effect.Effect<Page<User>>
  }
>()("gatewarden/WorkspaceMembers") {}
