/**
 * Reads a table as a stream of committed facts, for consumers. The table has `seq bigserial` and `xact xid8 default pg_current_xact_id()`
 * with an index on `(xact, seq)`.
 *
 * Facts are in the order of their transactions, and only those of transactions below the snapshot's horizon are read: every
 * transaction below it has ended, so no fact can commit behind the position later. A transaction that stays open holds the reader back;
 * nothing is skipped, and nothing is read twice.
 */
import type { StreamReader } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { reading } from "./statements.ts"

interface FactRow {
  readonly at: string
  readonly fact: unknown
}

/** Positions are `<xact>:<seq>`. A fact is its row as JSON, without these two columns. */
export const committedFacts =
  <F>(sql: SqlClient.SqlClient, table: string): StreamReader<F, never> =>
  (position, limit) => {
    const [xact = "0", seq = "0"] = position?.split(":") ?? []
    return reading(
      Effect.map(
        sql<FactRow>`
          select f.xact::text || ':' || f.seq::text as at, to_jsonb(f) - array['xact', 'seq'] as fact from ${sql(table)} f
          where f.xact < pg_snapshot_xmin(pg_current_snapshot())
            and (f.xact, f.seq) > (${xact}::text::xid8, ${seq}::text::bigint)
          order by f.xact, f.seq limit ${limit}::int`,
        (rows) => ({ facts: rows.map(({ fact }) => fact as F), position: rows.at(-1)?.at ?? position })
      )
    )
  }
