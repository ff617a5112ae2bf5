/**
 * The names of what lists, alerts and reports tell by a hash or an id.
 *
 * Rule: requests#names-beside-ids.
 */
import { Context, type Effect } from "effect"

export type NamedKind = "key" | "guardrail" | "workspace" | "destination"

export interface EntityName {
  readonly name: string
  /** Of a workspace, itself. `null`: a management key. */
  readonly workspace_id: string | null
}

/** Ids of one call. */
export const mostNamed = 5_000

export class EntityNames extends Context.Service<
  EntityNames,
  {
    /**
     * The names that things of one kind have now, by hash or id, in one statement; at most `mostNamed` are asked for. A revoked key has its
     * name. What is unknown, deleted, another account's or without a name is absent, and so is any text that is no id.
     */
    readonly of: (
      account_id: string,
      kind: NamedKind,
      ids: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, EntityName>>
  }
>()("gatewarden/EntityNames") {}
