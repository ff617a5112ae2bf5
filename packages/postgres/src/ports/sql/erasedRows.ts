/** Replaces the name of a person in tables of configuration, and what is about the person in the same row. Rule: access#erasures. */
import { type Person, personalTableNames, personalTables, type PersonalTableName } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { personalSources } from "./personalSources.ts"

export interface Replacing {
  readonly account_id: string
  readonly person: Person
  readonly pseudonym: string
}

/** A view has to name the table below it. */
const tableOf = (table: PersonalTableName): string =>
  table === "preset_version" ? "gatewarden_preset_version" : personalSources[table].from

/** What is removed with the name. Names of the directory are unique and not null, so they become the pseudonym. */
const besides: Partial<Readonly<Record<PersonalTableName, Readonly<Record<string, string | null>>>>> = {
  directory_user: { user_name: null, folded_name: null, external_id: "null", attributes: "'{}'" }
}

const eraseTable = (
  sql: SqlClient.SqlClient,
  table: PersonalTableName,
  { account_id, person: { kind, name }, pseudonym }: Replacing,
  atMost: number
): Effect.Effect<number, SqlError.SqlError> => {
  const { lists, ofWorkspaces } = personalSources[table]
  const fields: readonly string[] = personalTables[table][kind]
  // Without a field the condition would be empty, and hold for every row.
  if (fields.length === 0) return Effect.succeed(0)
  const place = sql.literal(personalTables[table].place)
  const target = sql.literal(tableOf(table))
  const named = fields.map((field) =>
    lists ? sql`${name}::text = any(${sql.literal(field)})` : sql`${sql.literal(field)} = ${name}::text`
  )
  const owned =
    table === "preset_version"
      ? sql`preset_id in (select id from gatewarden_preset where account_id = ${account_id}::uuid)`
      : ofWorkspaces
        ? sql`account_id = ${account_id}::uuid
            and workspace_id in (select id from gatewarden_workspace where account_id = ${account_id}::uuid)`
        : sql`account_id = ${account_id}::uuid`
  const values = [
    ...fields.map((field) => {
      const column = sql.literal(field)
      return lists
        ? sql`${column} = array_replace(${column}, ${name}::text, ${pseudonym}::text)`
        : sql`${column} = case when ${column} = ${name}::text then ${pseudonym}::text else ${column} end`
    }),
    ...Object.entries(besides[table] ?? {}).map(
      ([column, value]) =>
        sql`${sql.literal(column)} = ${value === null ? sql`${pseudonym}::text` : sql.literal(value)}`
    )
  ]
  return Effect.map(
    sql<{ changed: number }>`
      with due as materialized (
        select ${place} as place from ${target} where ${owned} and ${sql.or(named)}
        order by ${place} limit ${atMost}::int for update
      ), changed as (
        update ${target} set ${sql.csv(values)}
        where ${place} in (select place from due) and ${sql.or(named)} returning 1
      )
      select count(*)::int as changed from changed`,
    ([row]) => row?.changed ?? 0
  )
}

/** At most so many rows of each table; how many there were, by table. */
export const eraseConfiguration = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  replacing: Replacing,
  atMost: number
) {
  const counts: Record<string, number> = {}
  for (const table of personalTableNames) counts[table] = yield* eraseTable(sql, table, replacing, atMost)
  return counts
})
