import { Effect } from "effect"
import { type EntityName, EntityNames, type NamedKind } from "../ports/names.ts"
import type { Owned, Tables } from "./tables/Tables.ts"

type NamedRow = Owned<{ readonly name: string | null; readonly workspace_id: string | null }>

export const entityNames = (tables: Tables) => {
  const rowOf: Readonly<Record<NamedKind, (id: string) => NamedRow | undefined>> = {
    key: (hash) => tables.apiKeys.get(hash),
    guardrail: (id) => tables.guardrails.get(id),
    workspace: (id) => {
      const row = tables.workspaces.get(id)
      return row && { account_id: row.account_id, name: row.name, workspace_id: row.id }
    },
    destination: (id) => {
      const row = tables.destinations.get(id)
      return row && { ...row.destination, account_id: row.account_id }
    }
  }
  return EntityNames.of({
    of: (account_id, kind, ids) =>
      Effect.sync(
        () =>
          new Map(
            ids.flatMap((id): readonly [string, EntityName][] => {
              const row = rowOf[kind](id)
              return row?.account_id !== account_id || row.name === null
                ? []
                : [[id, { name: row.name, workspace_id: row.workspace_id }]]
            })
          )
      )
  })
}
