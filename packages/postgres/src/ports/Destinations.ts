import { type Destination, destinationsPerType } from "@gatewarden/contract"
import { Destinations } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { holdWorkspace } from "./sql/holdWorkspace.ts"
import { readPage } from "./sql/readPage.ts"
import { type Columns, fromRow } from "./sql/rows.ts"
import { reading, writing } from "../engine/statements.ts"

const destinationOf = ({ account_id: _, sealed_config: __, ...columns }: Columns): Destination =>
  fromRow<Destination>(columns)

export const destinations = Effect.map(SqlClient.SqlClient, (sql) => {
  const insert = Effect.fnUntraced(function* (account_id: string, destination: Destination, sealed_config: Uint8Array) {
    const { workspace_id, type, config, filter_rules } = destination
    if (!(yield* holdWorkspace(sql, account_id, workspace_id))) return "missing" as const
    const rows = yield* sql`
      select count(*) as of_type from gatewarden_destination where workspace_id = ${workspace_id} and type = ${type}`
    if (Number(rows[0]?.["of_type"]) >= destinationsPerType) return "full" as const
    yield* sql`insert into gatewarden_destination ${sql.insert({
      ...destination,
      account_id,
      sealed_config,
      config: JSON.stringify(config),
      filter_rules: filter_rules && JSON.stringify(filter_rules)
    })}`
    return "inserted" as const
  })

  return Destinations.of({
    insert: (account_id, destination, sealed_config) =>
      insert(account_id, destination, sealed_config).pipe(sql.withTransaction, writing),
    list: (account_id, { workspace_id }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_destination",
            id: "id",
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "destination", owner: workspace_id }
          },
          page,
          destinationOf
        )
      )
  })
})
