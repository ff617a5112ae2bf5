/**
 * The tables that make up an installation, as the database itself describes them: a new migration needs no line here.
 *
 * Unlogged tables are left out, because what they hold is meant to be lost with the server; so are the records of
 * migrations and functions, and the transactions up to which changes are sealed, which every database keeps for itself.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface TransferColumn {
  readonly name: string
  /** As SQL writes it. */
  readonly type: string
  /** The sequence that gives its values, for one that has such. */
  readonly sequence: string | null
}

export interface TransferTable {
  readonly name: string
  readonly columns: readonly TransferColumn[]
  /** The columns of the primary key; empty without one. */
  readonly key: readonly string[]
  /** The tables that it refers to. */
  readonly refers_to: readonly string[]
}

/** `oid` follows the order in which migrations made the tables. */
const statement = `
select t.relname as name,
  (select json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
      'sequence', pg_get_serial_sequence(quote_ident(n.nspname) || '.' || quote_ident(t.relname), a.attname)) order by a.attnum)
    from pg_attribute a
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
  coalesce((select json_agg(a.attname order by k.place)
    from pg_constraint c cross join unnest(c.conkey) with ordinality as k (number, place)
    join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
    where c.conrelid = t.oid and c.contype = 'p'), '[]') as key,
  coalesce((select json_agg(distinct f.relname)
    from pg_constraint c join pg_class f on f.oid = c.confrelid
    where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid), '[]') as refers_to
from pg_class t join pg_namespace n on n.oid = t.relnamespace
where t.relnamespace = (select relnamespace from pg_class where oid = to_regclass('gatewarden_migration'))
  and t.relname like 'gatewarden\\_%' and t.relname not in ('gatewarden_migration', 'gatewarden_function', 'gatewarden_audit_horizon')
  and t.relkind in ('r', 'p') and not t.relispartition and t.relpersistence = 'p'
order by t.oid`

/** Whatever a table refers to comes before it; within that, the order of the migrations. */
export const inOrder = (tables: readonly TransferTable[]): readonly TransferTable[] => {
  const waiting = [...tables]
  const ordered: TransferTable[] = []
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ refers_to }) => !waiting.some(({ name }) => refers_to.includes(name)))
    // In a circle whichever comes first: its constraints have to be deferrable.
    ordered.push(...waiting.splice(Math.max(ready, 0), 1))
  }
  return ordered
}

/** The tables of a migrated database, in an order in which they can be filled. */
export const readTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return inOrder(yield* sql.unsafe<TransferTable>(statement))
})
