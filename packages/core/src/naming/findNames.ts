import type { BudgetScope } from "@gatewarden/contract"
import { Effect } from "effect"
import { EntityNames, type NamedKind, mostNamed } from "../ports/names.ts"

/** What may have a name: its kind, `undefined` for what has none, and its hash or id. */
export type Reference = readonly [kind: NamedKind | undefined, id: string | null | undefined]

/** The name of what was asked for; `null` where there is none to show. */
export type NameOf = (...reference: Reference) => string | null

/**
 * Finds the names of a whole page: one statement for each kind.
 *
 * Rule: requests#names-beside-ids. `reaches` tells of which workspaces names may be shown.
 */
export const findNames = Effect.fnUntraced(function* (
  account_id: string,
  references: readonly Reference[],
  reaches: (workspace_id: string | null) => boolean
) {
  const names = yield* EntityNames
  const found = new Map<NamedKind, Map<string, string | null>>()
  for (const [kind, id] of references) {
    if (kind === undefined || id === null || id === undefined) continue
    const ofKind = found.get(kind) ?? new Map<string, string | null>()
    found.set(kind, ofKind.set(id, null))
  }
  for (const [kind, ofKind] of found) {
    const ids = [...ofKind.keys()]
    for (let start = 0; start < ids.length; start += mostNamed)
      for (const [id, { name, workspace_id }] of yield* names.of(account_id, kind, ids.slice(start, start + mostNamed)))
        if (reaches(workspace_id)) ofKind.set(id, name)
  }
  const nameOf: NameOf = (kind, id) => (kind === undefined ? null : (found.get(kind)?.get(id ?? "") ?? null))
  return nameOf
})

/** What the entity of a budget is. Persons have ids and no names. */
const kinds: Readonly<Record<BudgetScope, NamedKind | undefined>> = {
  key_limit: "key",
  workspace_budget: "workspace",
  workspace_default_member: undefined,
  workspace_default_key: "key",
  member: undefined,
  key: "key"
}

/** A row about a workspace and, if it has a scope, about a budget. */
export interface NamedBudget {
  readonly workspace_id: string
  readonly scope?: BudgetScope
  readonly entity?: string
  readonly guardrail_id?: string | null
}

const entityOf = ({ scope, entity }: NamedBudget): Reference => [scope && kinds[scope], entity]
const guardrailOf = ({ guardrail_id }: NamedBudget): Reference => ["guardrail", guardrail_id]
const workspaceOf = ({ workspace_id }: NamedBudget): Reference => ["workspace", workspace_id]

/** Answers what tells the names of each of the rows. Rule: requests#names-beside-ids. */
export const findBudgetNames = (
  account_id: string,
  rows: readonly NamedBudget[],
  reaches: (workspace_id: string | null) => boolean
) =>
  Effect.map(
    findNames(
      account_id,
      rows.flatMap((row) => [entityOf(row), guardrailOf(row), workspaceOf(row)]),
      reaches
    ),
    (nameOf) => (row: NamedBudget) => ({
      workspace_name: nameOf(...workspaceOf(row)),
      entity_name: nameOf(...entityOf(row)),
      guardrail_name: nameOf(...guardrailOf(row))
    })
  )
