/** The chain of hashes over the stream of changes: whatever is altered in the database is found, and writers are named by statement. */
import {
  Acts,
  auditExamined,
  AuditLog,
  Guardrails,
  unrestricted,
  type Acting,
  createAccount,
  sealChanges
} from "@gatewarden/core/internal"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createMigratedDatabase, migratedSnapshot } from "@gatewarden/testkit/stores/migratedDatabases"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerPgliteClients, layerStore } from "../../postgres/src/store/layerStore.ts"

const engines = {
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createMigratedDatabase(inject("postgres"))),
      (url) => layerPostgres({ url: Redacted.make(url) })
    )
  ),
  PGlite: layerPgliteClients({ dataDir: undefined, snapshot: await migratedSnapshot(inject("pgliteSnapshot")) })
}

const at = "2026-03-04T12:00:00.000Z"
const rows = 3_000

const account = Effect.gen(function* () {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  return made === undefined
    ? yield* Effect.die(new Error("account exists"))
    : { account_id: made.account.id, workspace_id: made.workspace.id }
})

const acting = JSON.stringify({ actor: { type: "operator", id: null }, operation: "prepare", request_id: null, at })

/** An account with 3,000 sealed changes and none besides. */
const longLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { account_id } = yield* account
  yield* sql`delete from gatewarden_changes where account_id = ${account_id}`
  yield* sql`
    insert into gatewarden_changes (account_id, noun, action, id, acting, before, after)
    select ${account_id}::uuid, 'guardrail', 'update', n::text, ${acting},
      json_build_object('name', n), json_build_object('name', n + 1)
    from generate_series(1, ${rows}::int) n`
  yield* sealChanges(account_id)
  return account_id
})

/** What is altered, and where the chain is broken then, by the position that was altered. */
interface Alteration {
  readonly sql: (owner: string, position: number) => readonly string[]
  readonly problem: "edited" | "missing"
  /** The rows after it get other positions. Otherwise each position is altered and found in one verification. */
  readonly moves?: true
}

const seal = (owner: string, position: number) => `owner = '${owner}' and position = ${position}`
const change = (owner: string, position: number) =>
  `(xact, seq) = (select xact, seq from gatewarden_audit_seal where ${seal(owner, position)})`
const move = (owner: string, from: number, by: number): readonly string[] => [
  `update gatewarden_audit_seal set position = -position where owner = '${owner}' and position >= ${from}`,
  `update gatewarden_audit_seal set position = -position + ${by} where owner = '${owner}' and position < 0`
]

const edits: Readonly<Record<string, string>> = {
  "an actor": "gatewarden_audit_seal set actor_id = 'somebody'",
  "a time": "gatewarden_audit_seal set at = at + interval '1 microsecond'",
  "a hash": "gatewarden_audit_seal set hash = 'x'",
  "an operation": "gatewarden_audit_seal set operation = 'deleteGuardrail'",
  "what was there before": "gatewarden_changes set before = '{\"name\": 0}'",
  "what is there since": "gatewarden_changes set after = null",
  "an entity": "gatewarden_changes set id = 'x'"
}

const alterations: Readonly<Record<string, Alteration>> = {
  ...Object.fromEntries(
    Object.entries(edits).map(([what, text]): [string, Alteration] => [
      what,
      {
        sql: (owner, position) => [
          `update ${text} where ${(text.includes("_changes ") ? change : seal)(owner, position)}`
        ],
        problem: "edited"
      }
    ])
  ),
  "a removed change": {
    sql: (owner, position) => [`delete from gatewarden_changes where ${change(owner, position)}`],
    problem: "missing"
  },
  "a removed seal": {
    sql: (owner, position) => [`delete from gatewarden_audit_seal where ${seal(owner, position)}`],
    problem: "missing"
  },
  "a change that is removed with its seal": {
    sql: (owner, position) => [
      `delete from gatewarden_changes where ${change(owner, position)}`,
      `delete from gatewarden_audit_seal where ${seal(owner, position)}`
    ],
    problem: "missing"
  },
  "an inserted change": {
    sql: (owner, position) => [
      ...move(owner, position, 1),
      `with made as (
        insert into gatewarden_changes (account_id, noun, action, id) values ('${owner}', 'key', 'delete', 'x') returning xact, seq
      ) insert into gatewarden_audit_seal (owner, position, xact, seq, at, actor_type, hash)
        select '${owner}', ${position}, xact, seq, now(), 'operator', 'x' from made`
    ],
    problem: "edited",
    moves: true
  }
}

/** A change that did not come through Gatewarden. */
const insertChange = Effect.fnUntraced(function* (account_id: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into gatewarden_changes (account_id, noun, action, id) values (${account_id}, 'guardrail', 'create', ${id})`
})

const namesOf = Effect.fnUntraced(function* (account_id: string) {
  const { entries } = yield* (yield* AuditLog).list(
    account_id,
    {},
    { limit: 100, below: undefined, examined: auditExamined }
  )
  return entries.map(({ entity }) => entity)
})

/** What takes the end of a chain away, by what it is. */
const damages: Readonly<Record<string, (owner: string) => string>> = {
  "the end of its chain was removed": (owner) => `delete from gatewarden_audit_chain where owner = '${owner}'`,
  "the end of its chain was taken back": (owner) =>
    `update gatewarden_audit_chain set position = 1 where owner = '${owner}'`
}

/** Transactions of a host in which nothing can be sealed, and whether they see what others seal meanwhile. */
const hostModes: Readonly<Record<string, boolean>> = {
  "isolation level repeatable read": false,
  "isolation level serializable": false,
  "read only": true
}

for (const [name, clients] of Object.entries(engines))
  describe(`the audit log on ${name}`, () => {
    const runtime = ManagedRuntime.make(
      layerStore.pipe(
        Layer.provideMerge(clients),
        Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
      )
    )
    afterAll(() => runtime.dispose())

    it("finds each edited, removed or inserted row of 3,000", { tags: ["deep"] }, () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const owner = yield* longLog
          const whole = yield* log.verify(owner)
          assert.deepInclude(whole, { verified: rows, broken: [] })
          assert.strictEqual(whole.head?.position, rows)
          const positions = [1, 1_711, rows]
          for (const [what, { sql: statements, problem, moves }] of Object.entries(alterations))
            for (const altered of moves ? positions.map((position) => [position]) : [positions]) {
              const verdict = yield* Effect.flip(
                sql.withTransaction(
                  Effect.gen(function* () {
                    for (const position of altered)
                      for (const text of statements(owner, position)) yield* sql.unsafe(text)
                    return yield* Effect.fail(yield* log.verify(owner))
                  })
                )
              )
              for (const position of altered)
                assert.deepInclude(
                  "broken" in verdict ? verdict.broken : [],
                  { position, problem },
                  `${what} at ${position}`
                )
            }
          for (const position of [1, 1_711]) {
            const closedUp = yield* Effect.flip(
              sql.withTransaction(
                Effect.gen(function* () {
                  yield* sql.unsafe(`delete from gatewarden_audit_seal where ${seal(owner, position)}`)
                  for (const text of move(owner, position + 1, -1)) yield* sql.unsafe(text)
                  return yield* Effect.fail(yield* log.verify(owner))
                })
              )
            )
            assert.deepInclude("broken" in closedUp ? closedUp.broken : [], { position, problem: "edited" })
          }
          const unhurried = yield* Effect.flip(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`select set_config('statement_timeout', '30s', true)`
                yield* sql.unsafe(`
                    create function pg_temp.unhurried() returns boolean language plpgsql stable as $body$
                    begin
                      if current_setting('statement_timeout') <> '0' then raise exception 'hurried'; end if;
                      return true;
                    end
                    $body$`)
                yield* sql`alter table gatewarden_audit_seal rename to kept_seal`
                yield* sql`create view gatewarden_audit_seal as select * from kept_seal where pg_temp.unhurried()`
                return yield* Effect.fail(yield* log.verify(owner))
              })
            )
          )
          assert.strictEqual("verified" in unhurried ? unhurried.verified : 0, rows)
          const beheaded = yield* Effect.flip(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql.unsafe(`delete from gatewarden_audit_seal where ${seal(owner, rows)}`)
                yield* sql.unsafe(`delete from gatewarden_audit_chain where owner = '${owner}'`)
                return yield* Effect.fail(yield* log.verify(owner))
              })
            )
          )
          assert.deepInclude("broken" in beheaded ? beheaded.broken : [], { position: rows, problem: "missing" })
          assert.deepStrictEqual(yield* log.verify(owner), whole)
        })
      )
    )

    it("seals what is new without reading what it sealed before, however long the log is", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const account_id = yield* longLog
          const added = 10
          // By hand, as transactions of others hold back the one that sealing leaves.
          yield* sql`insert into gatewarden_audit_horizon (sealed_before)
            select (xact::text::bigint + 1)::text::xid8 from gatewarden_changes order by xact desc limit 1
            on conflict (one) do update set sealed_before = excluded.sealed_before`
          const read = sql<{ rows: number }>`
            select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
            from pg_stat_xact_user_tables where relname = 'gatewarden_audit_seal'`
          const [before, after] = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`insert into gatewarden_changes (account_id, noun, action, id)
                select ${account_id}::uuid, 'guardrail', 'update', n::text from generate_series(1, ${added}::int) n`
              // As statistics do that are behind: what reads all of the log looks cheaper than what looks rows up.
              yield* sql`set local plan_cache_mode = force_custom_plan`
              yield* sql`set local random_page_cost = 1000`
              const [begun] = yield* read
              yield* sealChanges(undefined)
              return [begun, (yield* read)[0]]
            })
          )
          assert.isBelow((after?.rows ?? 0) - (before?.rows ?? 0), 10 * added)
          assert.deepInclude(yield* (yield* AuditLog).verify(account_id), { verified: rows + added, broken: [] })
        })
      ))

    it("seals the changes of accounts that alternate, each in the order of its own", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const owners = [(yield* account).account_id, (yield* account).account_id]
          yield* sealChanges(undefined)
          const heads = yield* Effect.forEach(owners, (owner) => log.verify(owner))
          const each = 800
          for (const turn of [1, 2]) {
            yield* sql`
              insert into gatewarden_changes (account_id, noun, action, id)
              select (${JSON.stringify(owners)}::json ->> (n % 2))::uuid, 'guardrail', 'update', n::text
              from generate_series(0, ${2 * each}::int - 1) n`
            yield* sealChanges(undefined)
            for (const [index, owner] of owners.entries()) {
              const begun = heads[index]?.head?.position ?? 0
              const verdict = yield* log.verify(owner)
              assert.deepInclude(verdict, { verified: begun + turn * each, broken: [] })
              assert.strictEqual(verdict.head?.position, begun + turn * each)
              const {
                entries: [newest, older]
              } = yield* log.list(owner, {}, { limit: 2, below: undefined, examined: auditExamined })
              assert.deepStrictEqual(
                [newest?.entity, older?.entity],
                [String(2 * each - 2 + index), String(2 * each - 4 + index)]
              )
            }
          }
        })
      ))

    it("seals a change whatever text names its actor, and those beside it as their own texts name theirs", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const { account_id } = yield* account
          yield* sealChanges(account_id)
          const sealed = (yield* log.verify(account_id)).verified
          const others = ["", "x", "5", '{"actor":', '{"at":"infinity"}', '{"at":"x"}', '{"operation":"\\u0000"}']
          for (const text of [acting, ...others, null, acting])
            yield* sql`
              insert into gatewarden_changes (account_id, noun, action, id, acting)
              values (${account_id}, 'guardrail', 'delete', 'x', ${text})`
          yield* sealChanges(account_id)
          const { entries } = yield* log.list(
            account_id,
            { entity: "x" },
            { limit: 100, below: undefined, examined: auditExamined }
          )
          assert.deepStrictEqual(entries.map(({ actor, operation }) => [actor.type, operation]).toReversed(), [
            ["operator", "prepare"],
            ...[...others, null].map(() => ["database", null]),
            ["operator", "prepare"]
          ])
          const made = entries.map((entry) => Date.parse(entry.at))
          assert.deepStrictEqual([made.at(0), made.at(-1)], [Date.parse(at), Date.parse(at)])
          assert.isTrue(made.every(Number.isFinite))
          assert.deepInclude(yield* log.verify(account_id), { verified: sealed + entries.length, broken: [] })
        })
      ))

    it("numbers changes anew that a copy of another database brought, and seals what is left of them", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const { account_id } = yield* account
          yield* sealChanges(undefined)
          yield* sql`update gatewarden_audit_seal s set xact = '9223372036854775000'
            from gatewarden_changes c where c.account_id = ${account_id} and (c.xact, c.seq) = (s.xact, s.seq)`
          yield* sql`update gatewarden_changes set xact = '9223372036854775000' where account_id = ${account_id}`
          yield* sql`update gatewarden_audit_horizon set sealed_before = '9223372036854775001'`
          yield* sql`insert into gatewarden_changes (account_id, noun, action, id, xact)
            values (${account_id}, 'guardrail', 'create', 'foreign', '9223372036854775807')`
          yield* sealChanges(undefined)
          assert.deepInclude(yield* log.verify(account_id), { verified: 4, broken: [] })
          const [left] =
            yield* sql`select count(*)::int as n from gatewarden_changes where xact > '9223372036854774999'`
          assert.strictEqual(left?.["n"], 0)
        })
      ))

    it("goes on from a copied horizon that it has forgotten, also when nothing was there to seal", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const sealing of [undefined, "its own"] as const) {
            const { account_id } = yield* account
            yield* sealChanges(undefined)
            // A server without work may not have sealed anything since it was restored.
            yield* sql`update gatewarden_audit_horizon
              set sealed_before = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 50)::text::xid8`
            yield* sealChanges(sealing === undefined ? undefined : account_id)
            yield* insertChange(account_id, "early")
            for (let transaction = 0; transaction < 60; transaction++) yield* sql`select pg_current_xact_id()::text`
            yield* sealChanges(undefined)
            assert.deepInclude(yield* namesOf(account_id), "early")
          }
        })
      ))

    it("begins at the first change where no horizon is known, and remembers it then", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* account
          yield* sealChanges(undefined)
          yield* sql`delete from gatewarden_audit_horizon`
          yield* sealChanges(undefined)
          const [row] = yield* sql`select count(*)::int as n from gatewarden_audit_horizon`
          assert.strictEqual(row?.["n"], 1)
        })
      ))

    for (const [what, damage] of Object.entries(damages))
      it(`seals on, and tells of the break, when ${what}`, () =>
        runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const log = yield* AuditLog
            const [ours, theirs] = [(yield* account).account_id, (yield* account).account_id]
            yield* sealChanges(undefined)
            const head = (yield* log.verify(ours)).head?.position ?? 0
            yield* sql.unsafe(damage(ours))
            yield* insertChange(ours, "later")
            yield* insertChange(theirs, "later")
            yield* sealChanges(undefined)
            assert.include(yield* namesOf(ours), "later")
            assert.include(yield* namesOf(theirs), "later")
            assert.deepInclude(yield* log.verify(theirs), { broken: [] })
            assert.deepStrictEqual((yield* log.verify(ours)).broken, [{ position: head + 1, problem: "missing" }])
          })
        ))

    it("names a change that was inserted among those that are sealed", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const [ours, theirs] = [(yield* account).account_id, (yield* account).account_id]
          yield* sealChanges(undefined)
          yield* sql`insert into gatewarden_changes (account_id, noun, action, id, xact) values (${ours}, 'key_ring', 'turn', 'x', '3')`
          yield* sealChanges(undefined)
          assert.notInclude(yield* namesOf(ours), "x")
          const inserted = { problem: "inserted" as const, noun: "key_ring", action: "turn", entity: "x" }
          assert.deepStrictEqual((yield* log.verify(ours)).broken, [inserted])
          assert.deepStrictEqual((yield* log.verify(theirs)).broken, [])
          yield* sql`delete from gatewarden_changes where account_id = ${ours} and xact = '3'`
        })
      ))

    for (const [mode, sees] of Object.entries(hostModes))
      it(`is read in a host's transaction that is ${mode}`, () =>
        runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const log = yield* AuditLog
            const { account_id } = yield* account
            yield* sealChanges(undefined)
            yield* insertChange(account_id, "before")
            yield* Effect.gen(function* () {
              yield* sql.unsafe(`set transaction ${mode}`)
              yield* sql`select count(*) from gatewarden_changes`
              // PGlite has one connection, which this transaction holds.
              if (name === "PostgreSQL")
                yield* Effect.promise(() =>
                  runtime.runPromise(Effect.andThen(insertChange(account_id, "meanwhile"), sealChanges(account_id)))
                )
              yield* sealChanges(account_id)
              assert.strictEqual((yield* namesOf(account_id)).includes("meanwhile"), sees && name === "PostgreSQL")
              assert.deepInclude(yield* log.verify(account_id), { broken: [] })
            }).pipe(sql.withTransaction)
            yield* sealChanges(account_id)
            assert.include(yield* namesOf(account_id), "before")
          })
        ))

    it("names each actor of changes that share a statement", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const guardrails = yield* Guardrails
          const ids = Array.from({ length: 8 }, () => crypto.randomUUID() as string)
          const row = { ...unrestricted, workspace_id, name: "a", created_at: at, updated_at: null }
          for (const id of ids) yield* guardrails.insert(account_id, { ...row, id })
          const actingFor = (id: string): Acting => ({
            actor: { type: "user", id: `who changes ${id}` },
            operation: "updateGuardrail",
            request_id: id,
            at
          })
          yield* Effect.forEach(
            ids,
            (id) => Effect.provideService(guardrails.update(account_id, id, { name: "b" }, at), Acts, actingFor(id)),
            { concurrency: "unbounded" }
          )
          yield* sealChanges(account_id)
          const { entries } = yield* (yield* AuditLog).list(
            account_id,
            { operation: "updateGuardrail" },
            { limit: 100, below: undefined, examined: auditExamined }
          )
          assert.sameDeepMembers(
            entries.map(({ entity, actor, request_id }) => ({ entity, actor, request_id })),
            ids.map((id) => ({ entity: id, actor: { type: "user" as const, id: `who changes ${id}` }, request_id: id }))
          )
          const [inserted] = yield* (yield* AuditLog)
            .list(account_id, { entity: ids[0] }, { limit: 1, below: undefined, examined: auditExamined })
            .pipe(Effect.map(({ entries }) => entries.filter(({ action }) => action === "update")))
          assert.deepInclude(inserted?.after, { name: "b" })
        })
      ))
  })
