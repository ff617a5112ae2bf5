import { type EntityName, EntityNames, type NamedKind } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { reading } from "../statements/statements.ts"

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Place {
  readonly table: string
  readonly id: string
  readonly type: "text" | "uuid"
  /** Of the workspace that it lies in. */
  readonly workspace: string
}

const lying = { id: "id", type: "uuid", workspace: "workspace_id" } as const

const places: Readonly<Record<NamedKind, Place>> = {
  key: { table: "gatewarden_api_key", id: "hash", type: "text", workspace: "workspace_id" },
  guardrail: { table: "gatewarden_guardrail", ...lying },
  workspace: { table: "gatewarden_workspace", ...lying, workspace: "id" },
  destination: { table: "gatewarden_destination", ...lying }
}

export const entityNames = Effect.map(SqlClient.SqlClient, (sql) =>
  EntityNames.of({
    of: (account_id, kind, ids) => {
      const { table, id, type, workspace } = places[kind]
      const sought = type === "uuid" ? ids.filter((one) => uuidPattern.test(one)) : ids
      if (sought.length === 0) return Effect.succeed(new Map())
      return reading(
        Effect.map(
          sql<EntityName & { readonly id: string }>`
            select ${sql(id)} as id, name, ${sql(workspace)} as workspace_id from ${sql(table)}
            where account_id = ${account_id} and name is not null
              and ${sql(id)} = any (${arrayLiteral(sought)}::${sql.literal(type)}[])`,
          (rows) => new Map(rows.map(({ id, name, workspace_id }) => [id, { name, workspace_id }]))
        )
      )
    }
  })
)
