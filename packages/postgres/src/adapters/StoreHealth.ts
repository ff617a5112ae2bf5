import { StoreHealth } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { reading } from "../statements/statements.ts"

export const storeHealth = Effect.map(SqlClient.SqlClient, (sql) =>
  StoreHealth.of({ ping: reading(Effect.asVoid(sql`select 1`)) })
)
