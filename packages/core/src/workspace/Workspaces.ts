/** The workspaces. A deleted workspace does not exist here. */
import type { Workspace } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { StoredWorkspace } from "./StoredWorkspace.ts"
import type { WorkspaceChange } from "./workspaceChange.ts"

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
