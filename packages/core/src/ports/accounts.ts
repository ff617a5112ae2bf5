/** The accounts of an installation. */
import { Context, type Effect, type Option } from "effect"
import type { ApiKey } from "./keys.ts"
import type { StoredWorkspace } from "./workspaces.ts"

/** The account that every installation has: the operator's (Rule: access#operator). */
export const defaultAccountName = "default"

export interface Account {
  readonly id: string
  readonly name: string
  readonly created_at: string
  /** Time since which the account is suspended; `null` if it is not. */
  readonly suspended_at: string | null
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Includes the account's default workspace; `null` after it was deleted. */
    readonly findByName: (
      name: string
    ) => Effect.Effect<Option.Option<Account & { readonly default_workspace_id: string | null }>>
    /** The default workspaces of those of the accounts that exist, by account; `null` for one that was deleted. */
    readonly defaultWorkspaces: (ids: readonly string[]) => Effect.Effect<ReadonlyMap<string, string | null>>
    /**
     * Suspends the account from an instant on, or resumes it with `null`. An account that is suspended already keeps its time. None: there
     * is no such account.
     */
    readonly setSuspended: (name: string, suspended_at: string | null) => Effect.Effect<Option.Option<Account>>
    readonly list: Effect.Effect<readonly Account[]>
    /** Makes an account with its default workspace and, if given, a first management key, all or nothing. False when the name is taken. */
    readonly create: (account: Account, workspace: StoredWorkspace, key: ApiKey | undefined) => Effect.Effect<boolean>
  }
>()("gatewarden/Accounts") {}
