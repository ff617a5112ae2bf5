/**
 * What is left of a person in the database: every column that is classified as one of persons has the name, the erasure runs, and the whole
 * database is searched. Another node goes on where one was killed.
 */
import { type Vault, BackgroundJobs, Erasures, type StorePorts } from "@gatewarden/core/internal"
import { layerPostgresStore, type PersonColumns, personColumns } from "@gatewarden/postgres/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { inject } from "vitest"
import { newTenant, type Tenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { askFor, eraseAll, erasureBatch, stateOf, withVault } from "@gatewarden/conformance/internal/erasure/erasing"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { at, furnish, now, prepare } from "@gatewarden/conformance/internal/stores/accountFixture"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { entersIds, opensDays } from "@gatewarden/testkit/stores/usageTables"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { sessionsEnded } from "@gatewarden/testkit/stores/sessionsEnded"

const name = "anna~e1f3"
const guest = "guest~7ad0"
const text = (value: string): string => `'${value}'::text`
const hexOf = (value: string): string => Buffer.from(value).toString("hex")
const bytes = (value: string): string => `convert_to('${value}', 'UTF8')`

/** A process of its own, which ends with the effect. */
const node =
  (url: string, clock = { now }) =>
  <A>(effect: Effect.Effect<A, unknown, StorePorts | Vault>): Promise<A> =>
    Effect.runPromise(
      byHand(clock)(Effect.provide(effect, withVault(() => layerPostgresStore({ url: Redacted.make(url) }))()))
    )

/** Rows of tables that nothing else gives a furnished account. */
const further = (account: string, workspace: string): readonly string[] => [
  `insert into gatewarden_alert values (gen_random_uuid(), '${account}', '${workspace}', 'budget.denied', '', 'c', '{}', '${at}')`,
  `insert into gatewarden_alert_delivery (alert_id, channel_id, account_id, workspace_id, type, subject, created_at, due_at)
     select id, gen_random_uuid(), account_id, workspace_id, type, subject, created_at, created_at from gatewarden_alert`,
  `insert into gatewarden_deleted_key (hash, account_id, deleted_at) values ('deleted', '${account}', '${at}')`,
  `insert into gatewarden_app values ('${account}', 1, 'https://app.example.com')`,
  `insert into gatewarden_authorization_code
     (code_hash, account_id, workspace_id, app_id, callback_url, callback_origin, key_name, created_at, expires_at, spent_at)
     values ('hash', '${account}', '${workspace}', 1, 'u', 'o', 'k', '${at}', '${at}', '${at}')`,
  `insert into gatewarden_usage_staging
     select (jsonb_populate_record(null::gatewarden_usage_staging,
       to_jsonb(e) || jsonb_build_object('batch_id', gen_random_uuid(), 'position', 1))).* from gatewarden_usage_event e
     where account_id = '${account}' limit 1`,
  `insert into gatewarden_usage_cell select (jsonb_populate_record(null::gatewarden_usage_cell, counts || jsonb_build_object(
       'account_id', '${account}', 'workspace_id', '${workspace}', 'bucket', '${at}', 'rollup', 16, 'is_day', true))).*
     from (select jsonb_object_agg(attname, 0) as counts from pg_attribute
       where attrelid = 'gatewarden_usage_cell'::regclass and attnotnull and attnum > 0) numbers`,
  `insert into gatewarden_generation_feedback select account_id, '${at}', id, 'other', '' from gatewarden_usage_event where account_id = '${account}'`
]

const budget = `jsonb_build_array(jsonb_build_object('scope', 'member', 'entity', ${text(name)}, 'interval', 'daily',
  'limit_nanos', '1', 'include_byok', false, 'guardrail_id', null))`

/** Columns that name a user in rows of one kind alone. */
const mixed: Readonly<Record<string, string>> = {
  "alert.subject": text(`member:${name}:daily`),
  "alert.data": `json_build_object('scope', 'member', 'entity', ${text(name)}, 'guardrail_id', null, 'interval', 'daily')`,
  "alert_delivery.subject": text(`member:${name}:daily`),
  "budget_list.budgets": budget,
  "budget_warning.entity": text(name),
  "budget_window.entity": text(name),
  "hold.settlement": `jsonb_build_object('charges', ${budget}, 'overdraft_nanos', '0')`,
  "spent.entity": text(name)
}

/** Rows that a column of several kinds may be set in, and what else makes a row one of the person. */
const rowsOf: Readonly<Record<string, string>> = {
  budget_warning: "scope = 'member'",
  budget_window: "spender = 'user'",
  spent: "spender = 'user'",
  hold: "state <> 'open'"
}

const besideEvents = [
  ["dead_letter", "event_id"],
  ["delivery", "event_id"],
  ["generation_content", "event_id"],
  ["generation_feedback", "id"]
] as const

const valueOf = (table: string, kind: string, column: string, type: string): string => {
  const own = mixed[`${table}.${column}`]
  if (own !== undefined) return own
  const value = kind === "external_user" ? guest : name
  if (type === "text[]") return `array[${text(value)}, 'other']`
  if (type === "bytea") return bytes(value)
  if (type === "jsonb" || type === "json") return `to_json(${text(value)})::${type}`
  if (column === "attributes") return `json_build_object('displayName', ${text(value)})::text`
  return text(value)
}

const personal = [
  "user",
  "external_user",
  "mixed",
  "about",
  "linked"
] as const satisfies readonly (keyof PersonColumns)[]

const places = Object.entries(personColumns).flatMap(([table, columns]) =>
  personal.flatMap((kind) => (columns[kind] ?? []).map((column) => ({ table, kind, column })))
)

const types = async (url: string): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (
      await execute(
        url,
        `select substr(c.relname, length('gatewarden_') + 1) || '.' || a.attname as place, format_type(a.atttypid, null) as type
         from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relname like 'gatewarden\\_%' and a.attnum > 0`
      )
    ).map(({ place, type }) => [String(place), String(type)])
  )

/** The columns of all tables in which a text is found, as it is or as bytes, each with its table. */
const found = async (url: string, sought: string): Promise<readonly string[]> => {
  const tables = await execute(
    url,
    `select relname from pg_class where relname like 'gatewarden\\_%' and relkind in ('r', 'p')`
  )
  assert.isAbove(tables.length, 60)
  const places: string[] = []
  for (const { relname } of tables) {
    const rows = await execute(
      url,
      `select distinct f.key from ${String(relname)} t, jsonb_each_text(to_jsonb(t)) f
       where strpos(f.value, '${sought}') > 0 or strpos(f.value, '${hexOf(sought)}') > 0`
    )
    for (const { key } of rows) places.push(`${String(relname).slice("gatewarden_".length)}.${String(key)}`)
  }
  return places.sort()
}

/** An account whose every column of persons has one of the two names, and nothing of which is live. */
const filled = async (url: string) => {
  const own = await node(url)(Effect.flatMap(prepare, furnish))
  const { account_id, workspace_id } = own
  for (const statement of further(account_id, workspace_id)) await execute(url, statement)
  return own
}

describe("the database after an erasure", () => {
  it("has the name nowhere but where the decision keeps it", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const { account_id, workspace_id } = await filled(url)
    const typeOf = await types(url)
    await execute(url, "update gatewarden_directory_user set active = false")
    await execute(url, "update gatewarden_api_key set disabled = true")
    await execute(url, "update gatewarden_federation_policy set disabled = true")
    await execute(url, "update gatewarden_hold set state = 'released'")
    for (const table of new Set(places.map((place) => place.table))) {
      const values = places
        .filter((place) => place.table === table)
        .map(
          ({ kind, column }) => `${column} = ${valueOf(table, kind, column, typeOf.get(`${table}.${column}`) ?? "")}`
        )
      const owner = table === "preset_version" ? "true" : `account_id = '${account_id}'`
      const changed = await execute(
        url,
        `update gatewarden_${table} set ${values.join(", ")} where ctid = (
           select ctid from gatewarden_${table} where ${owner} and ${rowsOf[table] ?? "true"} order by ctid limit 1
         ) returning 1 as one`
      )
      assert.lengthOf(changed, 1, table)
    }
    // What lies beside events lies beside the one of the person.
    const [event] = await execute(url, `select id from gatewarden_usage_event where user_id = '${name}'`)
    for (const [table, column] of besideEvents) {
      const isFilled = `(strpos(to_jsonb(t)::text, '${name}') > 0 or strpos(to_jsonb(t)::text, '${hexOf(name)}') > 0)`
      const of = `${column} = '${String(event?.["id"])}'`
      await execute(url, `delete from gatewarden_${table} t where ${of} and not ${isFilled}`)
      await execute(url, `update gatewarden_${table} t set ${of} where ${isFilled}`)
    }
    assert.includeMembers(
      [...(await found(url, name)), ...(await found(url, guest))],
      places.map(({ table, column }) => `${table}.${column}`)
    )
    const [last] = await execute(url, "select max(seq)::text as seq from gatewarden_changes")
    const clock = { now: now + 1_000 }
    const run = node(url, clock)
    const tenant = { account_id, workspace_id }
    // What is in the way keeps the rest from being changed, and is named.
    await execute(url, `delete from gatewarden_workspace_member where user_id = '${name}'`)
    const { id } = await run(askFor(tenant, { user_id: name }))
    await run(eraseAll)
    assert.deepInclude(await run(stateOf(tenant, id)), {
      status: "waiting",
      in_the_way: [{ kind: "import", count: 1 }]
    })
    await execute(url, "delete from gatewarden_usage_staging")
    clock.now += 60_000
    await run(askFor(tenant, { external_user: guest }))
    await run(eraseAll)
    assert.deepInclude(await run(stateOf(tenant, id)), { status: "succeeded" })
    // A list of budgets is not found by the name either.
    const lists = await execute(
      url,
      `select digest = 'erased ' || id::text as is_renamed from gatewarden_budget_list where strpos(budgets::text, 'erased-') > 0`
    )
    assert.deepEqual(lists, [{ is_renamed: true }])
    // The log of changes had the names before.
    assert.deepEqual(await found(url, name), ["changes.after", "changes.before", "changes.id"])
    assert.deepEqual(await found(url, guest), ["changes.after"])
    const since = await execute(
      url,
      `select noun, before::text, after::text from gatewarden_changes where seq > ${String(last?.["seq"])}
         and noun <> 'workspace_member'`
    )
    assert.isAbove(since.filter(({ noun }) => noun === "key").length, 0)
    for (const { noun, before, after } of since)
      if (noun !== "erasure") assert.deepEqual([noun, before, after], [noun, null, null])
      else assert.notInclude(`${String(before)}${String(after)}`, name)
    assert.deepEqual(
      await execute(
        url,
        "select count(*)::int as kept from gatewarden_erasure where finished_at is not null and (sealed_request is not null or request_digest is not null)"
      ),
      [{ kept: 0 }]
    )
  })
})

/** Holds that were given back: so many of the person, some of them as the member alone, and of as many others. */
const closedHolds = ({ account_id, workspace_id }: Tenant, own: number, others: number): readonly string[] => [
  `insert into gatewarden_hold (admission_id, account_id, held_at, expires_at, state, nanos, full_nanos, key_hash, user_id, member, workspace_id)
   select 'hold ' || n, '${account_id}', '${at}', '${at}', 'released', 1, 1, 'key', case when n % 11 = 0 then null else who end, who, '${workspace_id}'
   from generate_series(1, ${own + others}) n
   cross join lateral (select case when n <= ${own} then '${name}' else 'user ' || n end as who) w`
]

describe("an erasure in an account with a long history", () => {
  it("reads the rows of the person alone", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const tenant = await node(url)(newTenant)
    const { account_id, workspace_id } = tenant
    const [own, others] = [600, 20_000]
    const entity = `case when n = 1 then '${name}' else 'user ' || n end`
    await execute(
      url,
      "set session_replication_role = replica",
      ...closedHolds(tenant, own, others),
      `insert into gatewarden_budget_list (account_id, digest, budgets)
       select '${account_id}', 'digest ' || n, jsonb_build_array(jsonb_build_object('scope', 'member', 'entity', ${entity}))
       from generate_series(1, ${others}) n`,
      `insert into gatewarden_alert (id, account_id, workspace_id, type, subject, crossing, data, created_at)
       select gen_random_uuid(), '${account_id}', '${workspace_id}', 'budget.denied', 'member:' || ${entity} || ':daily', 'c',
         json_build_object('scope', 'member', 'entity', ${entity}, 'interval', 'daily'), '${at}' from generate_series(1, ${others}) n`,
      "vacuum analyze"
    )
    await sessionsEnded(url)
    const tables = ["gatewarden_hold", "gatewarden_budget_list", "gatewarden_alert"]
    const rowsRead = async () =>
      new Map(
        (
          await execute(
            url,
            `select relname, (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read, n_tup_upd::int as changed
             from pg_stat_user_tables where relname = any ('{${tables.join(",")}}')`
          )
        ).map(({ relname, read, changed }) => [relname, { read: Number(read), changed: Number(changed) }])
      )
    const before = await rowsRead()
    const { id } = await node(url)(askFor(tenant, { user_id: name }))
    await node(url)(eraseAll)
    assert.deepInclude(await node(url)(stateOf(tenant, id)), { status: "succeeded", erased: { alert: 1 } })
    await sessionsEnded(url)
    const after = await eventually("the report of the sessions", async () => {
      const rows = await rowsRead()
      const isTold = tables.every((table) => (rows.get(table)?.changed ?? 0) > (before.get(table)?.changed ?? 0))
      return isTold ? rows : undefined
    })
    const read = tables.map((table) => (after.get(table)?.read ?? 0) - (before.get(table)?.read ?? 0))
    // Each hold is found, locked and written; a list and an alert are looked for in two steps.
    assert.isAtMost(read[0] ?? Infinity, 4 * own)
    assert.isAtMost(Math.max(...read.slice(1)), 10)
  })
})

describe("an erasure that finds a hold when it has the lock of the ledger", () => {
  it("leaves the sums for the next batch", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const run = node(url)
    const tenant = await run(newTenant)
    await execute(
      url,
      `insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
       values ('${tenant.account_id}', 'user', '${name}', '2026-03-01', 5, 0)`
    )
    const { id, pseudonym } = await run(askFor(tenant, { user_id: name }))
    await run(erasureBatch)
    // It comes to be behind the look for what is in the way.
    await execute(url, ...closedHolds(tenant, 1, 0), "update gatewarden_hold set state = 'open'")
    const advance = Effect.flatMap(Erasures, (erasures) =>
      erasures.advance(tenant.account_id, id, { does: "rows", person: { kind: "user", name }, atMost: 9 }, at)
    )
    const spenders = () => execute(url, "select entity from gatewarden_spent")
    await run(advance)
    assert.deepEqual(await spenders(), [{ entity: name }])
    await execute(url, "update gatewarden_hold set state = 'expired'")
    await run(eraseAll)
    assert.deepEqual(await spenders(), [{ entity: pseudonym }])
    assert.deepEqual(await execute(url, "select member from gatewarden_hold"), [{ member: pseudonym }])
  })
})

describe("an erasure whose node is killed", () => {
  it("goes on elsewhere, and does each step once", { tags: ["deep"] }, async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const tenant = await node(url)(
      Effect.gen(function* () {
        const { account_id, workspace_id } = yield* prepare
        return { account_id, workspace_id }
      })
    )
    // More than a batch examines.
    await execute(
      url,
      opensDays(at.slice(0, 10)),
      `insert into gatewarden_usage_event (id, account_id, workspace_id, created_at, recorded_at, prompt_tokens, completion_tokens,
         reasoning_tokens, cached_tokens, tool_calls, cost_nanos, byok_cost_nanos, byok, guardrail_invoked, response_cached, status,
         model, variant, provider, context_length_bucket, sample_weight, user_id, session_id)
       select 'event ' || n, '${tenant.account_id}', '${tenant.workspace_id}', '${at}', '${at}', 1, 1, 0, 0, 0, 1, 0, false, false, false,
         'success', 'acme/sonnet', 'standard', 'acme', '0-1k', 1, case when n % 3 = 0 then '${name}' else 'bert' end, 's' || n % 5
       from generate_series(1, 1125) n`,
      entersIds
    )
    await execute(url, ...closedHolds(tenant, 1_210, 100))
    /** Events and holds that have the name. */
    const namedNow = async () => {
      const [row] = await execute(
        url,
        `select (select count(*)::int from gatewarden_usage_event where user_id = '${name}') as events,
           (select count(*)::int from gatewarden_hold where user_id = '${name}' or member = '${name}') as holds`
      )
      return [row?.["events"], row?.["holds"]]
    }
    const { id, pseudonym } = await node(url)(askFor(tenant, { user_id: name }))
    /** A batch under the lease, as the background runs it, whose process dies before it commits. */
    const killed = Effect.gen(function* () {
      const jobs = yield* BackgroundJobs
      const { turn } = yield* jobs.claim(["erasures"], 3)
      if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
      const exit = yield* Effect.exit(
        jobs.commit(turn, () => Effect.andThen(erasureBatch, Effect.die(new Error("killed"))))
      )
      assert.isTrue(Exit.isFailure(exit))
      yield* jobs.finish(turn, { failed: true, due_in_seconds: 0 })
    })
    const state = stateOf(tenant, id)
    const left: unknown[] = []
    for (let reached = await node(url)(state); reached.status !== "succeeded";) {
      const before = await namedNow()
      assert.deepEqual(await node(url)(Effect.andThen(killed, state)), reached)
      assert.deepEqual(await namedNow(), before)
      reached = await node(url)(Effect.andThen(erasureBatch, state))
      left.push(await namedNow())
      assert.isBelow(left.length, 20)
    }
    // Three batches of usage, three of holds, the sums, three of usage once more, and the rest.
    const holds = [710, 210, 0, 0, 0, 0, 0, 0].map((held) => [0, held])
    assert.deepEqual(left, [[209, 1_210], [43, 1_210], [0, 1_210], ...holds])
    assert.deepInclude(await node(url)(stateOf(tenant, id)), { status: "succeeded", erased: { usage_event: 375 } })
    const sums = await execute(
      url,
      `select spender, entity, sum(charged_nanos)::text as nanos from gatewarden_spent where spender = 'user' group by 1, 2 order by 3`
    )
    assert.deepEqual(sums, [
      { spender: "user", entity: pseudonym, nanos: "375" },
      { spender: "user", entity: "bert", nanos: "750" }
    ])
  })
})
