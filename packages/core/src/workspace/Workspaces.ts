/** The workspaces. A deleted workspace does not exist here. */
import type { Workspace } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"

export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly find: (account_id: string, idOrSlug: string) => Effect.Effect<Option.Option<Workspace>>
    /** False when another workspace of the account has the slug. */
    readonly insert: (account_id: string, workspace: Workspace) => Effect.Effect<boolean>
    /**
     * Deletes the workspace and its contents, by id. `has_keys`: it still has live API keys; nothing changed. `force` deletes the keys,
     * too.
     */
    readonly remove: (
      account_id: string,
      workspace_id: string,
      options: { readonly force: boolean; readonly now: string }
    ) => Effect.Effect<"removed" | "missing" | "has_keys">
  }
>()("gatewarden/Workspaces") {}
