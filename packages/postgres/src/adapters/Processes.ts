import { Processes, type RunningProcess } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { askedInstant, reading, repeating, writing } from "../statements/statements.ts"

export const processes = Effect.map(SqlClient.SqlClient, (sql) => {
  const clock = (now: string | null) => sql`(select coalesce(${now}::timestamptz, clock_timestamp()) as at) clock`
  return Processes.of({
    announce: Effect.fnUntraced(function* ({ id, host, pid, key_ids }, seconds) {
      const now = yield* askedInstant
      yield* sql`
        with ended as (
          delete from gatewarden_process p using ${clock(now)} where p.ends_at <= clock.at and p.id <> ${id}
        )
        insert into gatewarden_process (id, host, pid, key_ids, started_at, ends_at)
        select ${id}, ${host}, ${pid}::int, ${arrayLiteral(key_ids)}::text[], clock.at, clock.at + ${seconds}::float8 * interval '1 second'
        from ${clock(now)}
        on conflict (id) do update set ends_at = excluded.ends_at`.pipe(repeating, writing)
    }),
    withdraw: (id) => Effect.asVoid(sql`delete from gatewarden_process where id = ${id}`.pipe(repeating, writing)),
    running: Effect.gen(function* () {
      const now = yield* askedInstant
      const rows = yield* sql<Omit<RunningProcess, "started_at"> & { readonly started_at: Date }>`
        select p.id, p.host, p.pid, p.key_ids, p.started_at from gatewarden_process p cross join ${clock(now)}
        where p.ends_at > clock.at order by p.started_at, p.id`.pipe(reading)
      return rows.map((row) => ({ ...row, started_at: row.started_at.toISOString() }))
    })
  })
})
