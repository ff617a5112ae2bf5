import { type RecordedUse, UsageHistory } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Columns, fromRow } from "./sql/rows.ts"
import { reading } from "../engine/statements.ts"

/** Amounts stay exact: the one converter would make numbers of them. */
const useOf = (row: Columns): RecordedUse => ({
  ...fromRow<RecordedUse>(row),
  cost_nanos: row["cost_nanos"] as bigint,
  byok_cost_nanos: row["byok_cost_nanos"] as bigint
})

export const usageHistory = Effect.map(SqlClient.SqlClient, (sql) =>
  UsageHistory.of({
    after: (account_id, { start, end, api_key_hash }, place, limit) => {
      const conditions = [
        sql`account_id = ${account_id}`,
        sql`created_at >= ${new Date(start)}`,
        sql`created_at < ${new Date(end)}`,
        ...(api_key_hash === undefined ? [] : [sql`api_key_hash = ${api_key_hash}`]),
        ...(place === undefined ? [] : [sql`(created_at, id) > (${new Date(place.created_at)}, ${place.id})`])
      ]
      return reading(
        Effect.map(
          sql`
            select id, created_at, workspace_id, api_key_hash, user_id, model, variant, provider, endpoint_tag,
              data_region, status, byok, cost_nanos, byok_cost_nanos
            from gatewarden_usage_event where ${sql.and(conditions)}
            order by created_at, id limit ${limit}`,
          (rows) => rows.map(useOf)
        )
      )
    }
  })
)
