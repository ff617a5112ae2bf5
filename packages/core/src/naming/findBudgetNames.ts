import type { BudgetScope } from "@gatewarden/contract"
import { Effect } from "effect"
import type { NamedKind } from "../ports/names.ts"
import { findNames, type Reference } from "./findNames.ts"

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
