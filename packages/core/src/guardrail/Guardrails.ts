/** Where guardrails are remembered. */
import type { Guardrail } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { Oversized } from "../limits/entityBytes.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import type { GuardrailChange } from "./guardrailChange.ts"

export class Guardrails extends Context.Service<
  Guardrails,
  {
    /** False when the workspace does not exist (any more). */
    readonly insert: (account_id: string, guardrail: Guardrail) => Effect.Effect<boolean>
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<Guardrail>>
    /**
     * Applies a change; `updated_at` becomes `now` if and only if a stored value changed. A default guardrail that was not stored yet is
     * stored first. `name_kept`: the change renames a default guardrail; nothing was written. `Oversized` is decided on the row that the
     * change is applied to.
     */
    readonly update: (
      account_id: string,
      id: string,
      change: GuardrailChange,
      now: string
    ) => Effect.Effect<Guardrail | Oversized | "missing" | "name_kept">
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<Guardrail>>
    /** Deletes with its assignments. `default`: a workspace's default guardrail, stored or not; nothing was done. */
    readonly remove: (account_id: string, id: string) => Effect.Effect<"removed" | "missing" | "default">
  }
>()("gatewarden/Guardrails") {}
