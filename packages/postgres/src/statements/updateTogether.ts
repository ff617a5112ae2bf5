/**
 * Batches updates of one table: those that change the same columns and arrive while a batch is in flight share one statement and one
 * commit.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { RunWrite } from "./FixedStatements.ts"
import { type Acted, actedBy, withActor, type Write } from "./acting.ts"
import { batched } from "./coalesce.ts"
import type { Columns } from "./rows.ts"
import { type Guard, updateRow } from "./updateRow.ts"

interface RowChange {
  readonly account_id: string
  readonly id: string
  readonly columns: Columns
  readonly now: string
}

export interface UpdatedTable {
  readonly sql: SqlClient.SqlClient
  readonly write: RunWrite
  readonly table: string
  /** Of the columns that are not `text`. Values of `jsonb` are given as text. */
  readonly types: Readonly<Record<string, string>>
  readonly guardOf: (columns: Columns) => Guard | undefined
}

export const updateTogether = ({ sql, write, table, types, guardOf }: UpdatedTable) => {
  const one = (change: Acted<RowChange>) => {
    const { account_id, id, columns, now } = change
    return actedBy([change], updateRow(write, table, { id, account_id }, columns, now, guardOf(columns)))
  }

  /**
   * Rows are held in one order, whatever order they come in. Only the columns that change are read from the JSON: PostgreSQL looks for each
   * column that it is told of.
   */
  const manyText = (columns: Columns): Write => {
    const names = Object.keys(columns)
    const guard = guardOf(columns)
    const valueOf = (name: string) => `asked."${name}"`
    const read = ["id", "account_id", "updated_at", ...names].map((name) => `"${name}" ${types[name] ?? "text"}`)
    const rest = ` asked as materialized (
        select * from json_to_recordset($1::json) as asked (${read.join(", ")})
      ), held as materialized (
        select t.id from ${table} t join asked on t.id = asked.id and t.account_id = asked.account_id
        order by t.id for update of t
      )
      update ${table} t set
        ${names.map((name) => `"${name}" = ${valueOf(name)}`).join(", ")},
        updated_at = case when ${names.map((name) => `t."${name}" is distinct from ${valueOf(name)}`).join(" or ")}
          then asked.updated_at else t.updated_at end
      from asked join held on held.id = asked.id
      where t.id = held.id${guard === undefined ? "" : ` and ${guard(valueOf)}`}
      returning t.*`
    return { word: "with", rest }
  }

  const inJson = ({ account_id, id, columns, now }: RowChange): Record<string, unknown> => {
    const row: Record<string, unknown> = { account_id, id, updated_at: now }
    for (const [name, value] of Object.entries(columns))
      row[name] =
        typeof value === "bigint"
          ? String(value)
          : typeof value === "string" && types[name] === "jsonb"
            ? JSON.parse(value)
            : value
    return row
  }

  const many = (changes: readonly Acted<RowChange>[]) =>
    actedBy(changes, write(manyText(changes[0]?.columns ?? {}), [JSON.stringify(changes.map(inJson))]))

  /** In their order; of several changes of one row each sees what the one before has left. */
  const inTurn = Effect.fnUntraced(function* (changes: readonly Acted<RowChange>[]) {
    const updated = new Map<Acted<RowChange>, Columns>()
    for (let rest = changes; rest.length > 0;) {
      const byId = new Map(rest.toReversed().map((change) => [change.id, change]))
      const first = [...byId.values()]
      const rows = yield* first.length === 1 ? one(first[0] as Acted<RowChange>) : many(first)
      for (const row of rows) updated.set(byId.get(row["id"] as string) as Acted<RowChange>, row)
      rest = rest.filter((change) => byId.get(change.id) !== change)
    }
    return changes.map((change) => updated.get(change))
  })

  /** All or none, also where that takes several statements. */
  const perform = (changes: readonly Acted<RowChange>[]) => {
    const isOneStatement = new Set(changes.map(({ id }) => id)).size === changes.length
    return isOneStatement ? inTurn(changes) : sql.withTransaction(inTurn(changes))
  }

  const together = batched(perform)

  /** The row as it is then; undefined where there is none, or the guard refuses. */
  return (change: RowChange) =>
    withActor(change, (acted) => together(`${change.account_id} ${Object.keys(change.columns).join()}`, acted))
}
