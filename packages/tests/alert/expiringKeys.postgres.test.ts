/**
 * A batch of alerts reads as many keys and alerts as it records, however many it recorded before, whatever PostgreSQL knows of the tables.
 *
 * Source: docs/rules/alerts.md#crossings. PostgreSQL counts what its indexes give and what it reads of whole tables; sessions tell it when
 * they end.
 */
import { newTenant, type Tenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { alerts, newChannel } from "@gatewarden/conformance/internal/alert/alertsUnderTest"
import type { StorePorts } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { sessionsEnded } from "@gatewarden/testkit/stores/sessionsEnded"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"

const atOnce = 100

const within = <A, E>(url: string, work: Effect.Effect<A, E, StorePorts>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.provide(work, layerPostgresStore({ url: Redacted.make(url), writeConnections: 1 })))
  )

const expireSoon = (url: string, { account_id, workspace_id }: Tenant, many: number) =>
  execute(
    url,
    `insert into gatewarden_api_key
       (hash, account_id, kind, workspace_id, name, label, disabled, include_byok_in_limit, expires_at, created_at)
     select gen_random_uuid()::text, '${account_id}', 'normal', '${workspace_id}', 'key', 'gw...', false, false,
       now() + interval '3 days', now() - interval '60 days' from generate_series(1, ${many})`
  )

/** Rows read by a batch that records `atOnce` alerts: of keys, and of alerts. */
const readByBatch = async (url: string): Promise<readonly number[]> => {
  const rowsRead = async () => {
    const rows = await execute(
      url,
      `select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read, (n_tup_ins + n_tup_upd)::int as written
       from pg_stat_user_tables where relname in ('gatewarden_api_key', 'gatewarden_alert') order by relname desc`
    )
    return rows.map(({ read, written }) => ({ read: Number(read), written: Number(written) }))
  }
  await sessionsEnded(url)
  const before = await rowsRead()
  assert.strictEqual(
    await within(
      url,
      alerts((port) => port.detect(atOnce))
    ),
    atOnce
  )
  await sessionsEnded(url)
  const after = await eventually("the report of the sessions", async () => {
    const rows = await rowsRead()
    return (rows.at(-1)?.written ?? 0) >= (before.at(-1)?.written ?? 0) + atOnce ? rows : undefined
  })
  return after.map(({ read }, index) => read - (before[index]?.read ?? 0))
}

const bounds = async (analyzed: string): Promise<void> => {
  const url = await createMigratedDatabase(inject("postgres"))
  await within(url, Effect.void)
  const tables = await execute(
    url,
    "select relname from pg_class where relkind = 'r' and relname like 'gatewarden\\_%'"
  )
  await execute(url, ...tables.map(({ relname }) => `alter table ${String(relname)} set (autovacuum_enabled = off)`))
  if (analyzed === "empty") await execute(url, "analyze")
  const tenant = await within(url, Effect.tap(newTenant, newChannel))
  await expireSoon(url, tenant, 3_000)
  if (analyzed === "full") await execute(url, "analyze")
  const detect = alerts((port) => port.detect(1_000))
  await within(url, Effect.repeat(detect, { until: (raised) => raised === 0 }))
  await expireSoon(url, tenant, 2 * atOnce)
  const read = await readByBatch(url)
  // Each key is looked for, found, locked and written.
  assert.isAtMost(Math.max(...read), 6 * atOnce, JSON.stringify(read))
  // An alert is no change of its key, for caches as for the audit log.
  assert.isEmpty(await execute(url, "select from gatewarden_changes where noun = 'key' and action = 'update'"))
}

it.each(["never", "empty", "full"])("a batch reads what it records, with statistics of tables that were: %s", (when) =>
  bounds(when)
)
