/** The users that a directory has provisioned in an account. */
import { Context, type Effect, type Result } from "effect"
import type { BadRequest } from "../failure.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import type { Settled, Settling } from "./Settling.ts"

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
