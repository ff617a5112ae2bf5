import type {
  BudgetInterval,
  OrganizationSettings as Settings,
  Workspace,
  WorkspaceBudget,
  WorkspaceMember
} from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import { type Page, type PageRequest } from "../value/Page.ts"

/** The workspaces. A deleted workspace does not exist here. */
export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly find: (account_id: string, idOrSlug: string) => Effect.Effect<Option.Option<Workspace>>
    /** False when another workspace of the account has the slug. */
    readonly insert: (account_id: string, workspace: StoredWorkspace) => Effect.Effect<boolean>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<Workspace>>
    /** By id. Answers the workspace after the change; `updated_at` becomes `now` if and only if something changed. */
    readonly update: (
      account_id: string,
      workspace_id: string,
      change: WorkspaceChange,
      now: string
    ) => Effect.Effect<Workspace | "missing" | "slug_taken">
    /**
     * Deletes the workspace and its contents, by id, keys that are disabled or expired at `now` among them. `has_keys`: it still has live
     * API keys; nothing changed. `force` deletes these, too.
     */
    readonly remove: (
      account_id: string,
      workspace_id: string,
      options: { readonly force: boolean; readonly now: string }
    ) => Effect.Effect<"removed" | "missing" | "has_keys">
  }
>()("gatewarden/Workspaces") {}

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

/** The members of workspaces, and the users of accounts, whom memberships and keys name. */
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

/** Every budget of a workspace, from the shortest interval to the longest, and the setting that they share. */
export interface BudgetSet {
  readonly budgets: readonly WorkspaceBudget[]
  /** `false` where there is no budget. */
  readonly include_byok: boolean
}

export interface BudgetDraft {
  /** Of the budget, if it is new. */
  readonly id: string
  readonly workspace_id: string
  readonly interval: BudgetInterval
  readonly limit_usd: number
  /** Applies to every budget of the workspace; `undefined`: unchanged. */
  readonly include_byok: boolean | undefined
}

/** The budgets of workspaces: at most one for each interval. */
export class WorkspaceBudgets extends Context.Service<
  WorkspaceBudgets,
  {
    readonly of: (account_id: string, workspace_id: string) => Effect.Effect<BudgetSet>
    /**
     * Answers the set after the change; `updated_at` becomes `now` if and only if the limit changed. `out_of_order`: the budgets would
     * violate `budgetsRise`; nothing was done. Concurrent calls run one after another.
     */
    readonly put: (
      account_id: string,
      draft: BudgetDraft,
      now: string
    ) => Effect.Effect<BudgetSet | "missing" | "out_of_order">
    readonly remove: (account_id: string, workspace_id: string, interval: BudgetInterval) => Effect.Effect<void>
  }
>()("gatewarden/WorkspaceBudgets") {}

/** What an account may set. */
export type SettingsChange = Omit<Settings, "id">

/** The settings of an account that never set any. */
export const defaultOrganizationSettings: SettingsChange = { is_filtered_model_catalog_enabled: false }

/** The settings of accounts. */
export class OrganizationSettings extends Context.Service<
  OrganizationSettings,
  {
    /** The defaults where nothing was set. */
    readonly of: (account_id: string) => Effect.Effect<Settings>
    readonly update: (account_id: string, change: SettingsChange) => Effect.Effect<Settings>
  }
>()("gatewarden/OrganizationSettings") {}

/** A workspace as it is stored. */
export type StoredWorkspace = Omit<Workspace, "is_observability_broadcast_enabled"> & {
  /** `null` until a request sets the flag (Rule: observability#broadcast-flag). */
  readonly is_observability_broadcast_enabled: boolean | null
}

/** Shows the flag that nobody has set as what it comes to: whether the workspace has an enabled destination. */
export const shownWorkspace = (stored: StoredWorkspace, hasDestination: boolean): Workspace => ({
  ...stored,
  is_observability_broadcast_enabled: stored.is_observability_broadcast_enabled ?? hasDestination
})

/**
 * What a request sets of a workspace (Rule: workspaces#new-workspaces, workspaces#updating-a-workspace).
 *
 * Only the fields that a request sets; absent ones stay.
 */
export type WorkspaceChange = Partial<
  Omit<Workspace, "id" | "created_by" | "default_guardrail_id" | "created_at" | "updated_at">
>
