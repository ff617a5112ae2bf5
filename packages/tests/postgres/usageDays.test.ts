/**
 * Usage by day: which partitions there are, which of them statements open, and how they go.
 *
 * Source: docs/decisions/0018-usage-by-day.md.
 */
import { BudgetLedger, Generations, Retention, type UsageEvent, UsageLog } from "@gatewarden/core/store"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, ManagedRuntime, Option, Redacted, References, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { makeTenantRole, setPolicies } from "@gatewarden/testkit/stores/tenantRole"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { TenantScope } from "../../postgres/src/connection/tenantSessions.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const dayMillis = 86_400_000
const account = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e01"
const runtimes: { readonly dispose: () => Promise<void> }[] = []
afterAll(() => Promise.all(runtimes.map((runtime) => runtime.dispose())))

const open = async (rowLevelSecurity = false) => {
  const url = await createMigratedDatabase(inject("postgres"))
  if (rowLevelSecurity) {
    await makeTenantRole(url)
    await setPolicies(url, true)
  }
  const runtime = ManagedRuntime.make(
    layerStore.pipe(
      Layer.provideMerge(layerPostgres({ url: Redacted.make(url), rowLevelSecurity })),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
  runtimes.push(runtime)
  return { url, runtime, run: runtime.runPromise }
}

const eventAt = (id: string, millis: number): UsageEvent => ({
  ...emptyEvent,
  id,
  created_at: new Date(millis).toISOString(),
  recorded_at: new Date(millis).toISOString(),
  model: "acme/sonnet"
})

/** Some days ago, within the same hours of the day. */
const ago = (days: number): number => Date.now() - days * dayMillis

const record = (...events: readonly UsageEvent[]) =>
  Effect.flatMap(UsageLog, (log) => log.record(account, Stream.make(events)))

const partitions = async (url: string): Promise<readonly string[]> =>
  (
    await execute(
      url,
      `select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'gatewarden_usage_event'::regclass order by 1`
    )
  ).map(({ relname }) => String(relname).slice("gatewarden_usage_event_".length))

const nameOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10).replaceAll("-", "")

/** The partitions that the transaction has opened. */
const opened = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`
      select distinct c.relname from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relname ~ '^gatewarden_usage_event_([0-9]+|early)$'`,
    (rows) => rows.map(({ relname }) => String(relname).slice("gatewarden_usage_event_".length))
  )

const keep = (days: number | undefined) =>
  Effect.flatMap(Retention, (port) => port.keepUsage(days, 1_100 * 86_400, 100))
const keepAll = (days: number | undefined) => Effect.repeat(keep(days), { while: (done) => done > 0 })
const fold = Effect.flatMap(Retention, (port) =>
  Effect.repeat(port.foldRankings(100, 1_100 * 86_400), { while: (done) => done > 0 })
)

/** Makes the sums of analytics, those of days that are to be dropped as well. */
const sum = async (url: string, run: (work: typeof foldUsage) => Promise<unknown>) => {
  await run(foldUsage)
  await execute(url, "select gatewarden_sum_usage_days(now(), (now() - interval '45 days')::date, 100)")
}
const foldUsage = Effect.flatMap(Retention, (port) =>
  Effect.repeat(port.foldUsage(1_000), { while: (done) => done > 0 })
)

describe("days of usage", () => {
  it("have a partition each while they are near, months one when they are long past, and few for very many days", async () => {
    const { url, run } = await open()
    const near = [0, 1, 30, 61].map(ago)
    await run(record(...near.map((millis, n) => eventAt(`near ${n}`, millis))))
    assert.sameMembers([...(await partitions(url))], ["early", ...near.map(nameOf)])
    // A day of twelve years each: those before 2020 are in one.
    const many = Array.from({ length: 12 * 365 }, (_, n) => eventAt(`day ${n}`, ago(n)))
    assert.deepEqual(await run(record(...many)), { accepted: many.length, duplicates: 0 })
    const years = new Date().getUTCFullYear() - 2019
    assert.isAtMost((await partitions(url)).length, 1 + 12 * years + 100)
    // Ahead, by background work.
    await run(keepAll(undefined))
    assert.includeMembers([...(await partitions(url))], [-1, -2].map(ago).map(nameOf))
    assert.strictEqual(await run(keep(undefined)), 0)
  })

  it("are not opened but for the event, however many there are", async () => {
    const { url, run } = await open()
    await run(record(...Array.from({ length: 50 }, (_, n) => eventAt(`day ${n}`, ago(n)))))
    assert.isAbove((await partitions(url)).length, 50)
    const today = [nameOf(Date.now())]
    const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.andThen(work, opened(sql))))
    const spent = (id: string) => ({
      ...eventAt(id, Date.now()),
      cost_nanos: 1n
    })
    const settled = (id: string) => Effect.flatMap(BudgetLedger, (ledger) => ledger.settle(account, spent(id)))
    // More often than PostgreSQL makes plans for the values that it gets.
    for (let n = 0; n < 8; n++) {
      assert.deepEqual(await run(within(record(eventAt(`one ${n}`, Date.now())))), today)
      assert.deepEqual(await run(within(settled(`settled ${n}`))), today)
      assert.deepEqual(await run(within(settled(`settled ${n}`))), today, "what was settled before")
      const found = await run(within(Effect.flatMap(Generations, (port) => port.find(account, `one ${n}`))))
      assert.deepEqual(found, today)
      const none = await run(within(Effect.flatMap(Generations, (port) => port.find(account, "unknown"))))
      assert.deepEqual(none, [])
    }
  })

  it("are dropped when they are folded and nobody works on usage, who is not kept waiting", async () => {
    const { url, run } = await open()
    const [old, next] = [ago(50), ago(40)]
    await run(record(eventAt("old", old), eventAt("next", next), eventAt("new", Date.now())))
    // What is before all days goes at once, as it is empty.
    await run(keepAll(45))
    assert.include(await partitions(url), nameOf(old), "rankings are to sum it first")
    await run(fold)
    assert.strictEqual(await run(keep(45)), 0, "sums of analytics, too")
    await sum(url, run)
    const reader = await openConnection(url)
    await reader.query("begin")
    await reader.query("select count(*) from gatewarden_usage_event")
    const dropping = run(keep(45))
    assert.deepEqual(await run(record(eventAt("meanwhile", Date.now()))), { accepted: 1, duplicates: 0 })
    assert.strictEqual(await dropping, 0)
    assert.include(await partitions(url), nameOf(old))
    await reader.query("commit")
    await reader.close()
    // What comes late is summed first, too.
    await run(record(eventAt("late", old)))
    assert.strictEqual(await run(keep(45)), 0)
    await run(fold)
    await sum(url, run)
    assert.strictEqual(await run(keep(45)), 1)
    const left = await partitions(url)
    assert.notInclude(left, nameOf(old))
    assert.include(left, nameOf(next))
    const [days] = await execute(
      url,
      `select count(*)::int as count from gatewarden_ranking_cell where day = '${new Date(old).toISOString().slice(0, 10)}'`
    )
    assert.isAbove(Number(days?.["count"]), 0, "sums stay")
    // A partition is not made again, and what names its day is taken for a repetition.
    assert.deepEqual(await run(record(eventAt("old", old), eventAt("unknown", old))), { accepted: 0, duplicates: 2 })
    assert.notInclude(await partitions(url), nameOf(old))
    assert.isTrue(Option.isNone(await run(Effect.flatMap(Generations, (port) => port.find(account, "old")))))
  })

  it("keep accounts apart, whoever makes them", async () => {
    const { url, run } = await open(true)
    const other = crypto.randomUUID()
    const as = (id: string) => Effect.provideService(TenantScope, id)
    const recordOf = (id: string) =>
      Effect.flatMap(UsageLog, (log) => log.record(id, Stream.make([eventAt("same", ago(3))]))).pipe(as(id))
    assert.deepEqual(await run(recordOf(account)), { accepted: 1, duplicates: 0 })
    assert.deepEqual(await run(recordOf(other)), { accepted: 1, duplicates: 0 })
    assert.deepEqual(await run(recordOf(other)), { accepted: 0, duplicates: 1 })
    const seen = (table: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`select account_id from ${table}`)).pipe(as(other))
    assert.deepEqual(await run(seen("gatewarden_usage_event")), [{ account_id: other }])
    const refused = await run(Effect.exit(seen(`gatewarden_usage_event_${nameOf(ago(3))}`)))
    assert.isTrue(Exit.isFailure(refused), "a partition has no policy, and no rights")
    const drop = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql`select gatewarden_drop_usage_days('2100-01-01', '2100-01-01', 50)`.pipe(as(other))
    )
    assert.isTrue(Exit.isFailure(await run(Effect.exit(drop))))
    // Policies that are switched on again, with partitions there, stay what they were.
    await setPolicies(url, true)
    assert.isTrue(Exit.isFailure(await run(Effect.exit(seen(`gatewarden_usage_event_${nameOf(ago(3))}`)))))
  })

  it("have an event and its id together or not at all when a session ends in between", async () => {
    const { url, run } = await open()
    const events = Array.from({ length: 30 }, (_, n) => eventAt(`event ${n}`, ago(n)))
    await run(record(eventAt("first", ago(7))))
    const holder = await openConnection(url)
    await holder.query("begin")
    // Ids are entered, and the events before those of that day.
    await holder.query(`lock table gatewarden_usage_event_${nameOf(ago(7))} in access exclusive mode`)
    const recording = run(Effect.exit(record(...events)))
    const [waiting] = await eventually("the recording to wait", async () => {
      const rows = await execute(url, "select pid from pg_locks where not granted and locktype = 'relation'")
      return rows.length > 0 ? rows : undefined
    })
    await execute(url, `select pg_terminate_backend(${String(waiting?.["pid"])})`)
    await recording
    await holder.query("rollback")
    await holder.close()
    const counts = () =>
      execute(
        url,
        "select (select count(*) from gatewarden_usage_event)::int as events, (select count(*) from gatewarden_usage_id)::int as ids"
      )
    const [after] = await counts()
    assert.strictEqual(after?.["events"], after?.["ids"])
    await run(record(...events.map((event, n) => ({ ...event, created_at: new Date(ago(n + 1)).toISOString() }))))
    assert.deepEqual(await counts(), [{ events: 31, ids: 31 }])
  })
})
