import type { SqlClient } from "effect/sql"

/** What an update sets, and `updated_at` exactly when that changes something: it is decided on the row that is written. */
export const setColumns = (sql: SqlClient.SqlClient, columns: Readonly<Record<string, unknown>>, now: string) => {
  const set = Object.entries(columns)
  return sql`
    ${sql.csv(set.map(([name, value]) => sql`${sql(name)} = ${value}`))},
    updated_at = case when ${sql.or(set.map(([name, value]) => sql`${sql(name)} is distinct from ${value}`))}
      then ${now}::timestamptz else updated_at end`
}
