/**
 * What becomes of old rows when a database is upgraded, and that the product works on them: rows as an earlier version left them, in a
 * database that stops before a migration, which is then opened by this version.
 */
import {
  ApiKeys,
  AuditLog,
  type Budget,
  BudgetLedger,
  IdempotencyRecords,
  StoredAmounts,
  type StorePorts,
  Workspaces
} from "@gatewarden/core/store"
import { createAccount, sealChanges, signEnds, verifyAuditLog } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, References, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { vault } from "@gatewarden/conformance/internal/erasure/erasing"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerPgliteClients, layerStore, type SqlClients } from "../../postgres/src/store/layerStore.ts"
import { migrate } from "../../postgres/src/migrations/migrate.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"

const engines: Readonly<Record<string, () => Layer.Layer<SqlClients, unknown>>> = {
  PostgreSQL: () =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => createDatabase(inject("postgres"))),
        (url) => layerPostgres({ url: Redacted.make(url) })
      )
    ),
  PGlite: () => layerPgliteClients({ dataDir: undefined, snapshot: inject("pgliteSnapshot") })
}

/** Values of columns that a test does not name and that have to have one. */
const fillers: Readonly<Record<string, string>> = {
  text: "''",
  uuid: "gen_random_uuid()",
  boolean: "false",
  integer: "0",
  bigint: "0",
  numeric: "0",
  "double precision": "0",
  real: "0",
  date: "now()",
  "timestamp with time zone": "now()",
  jsonb: "'{}'",
  json: "'{}'",
  bytea: "''",
  ARRAY: "'{}'"
}

/** Adds a row without what triggers and references would add or ask for, as SQL of its values. */
const put = (table: string, row: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const needed = yield* sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_name = ${table} and is_nullable = 'NO' and column_default is null and is_identity = 'NO'`
    const filled = Object.fromEntries(needed.map(({ name, type }) => [name, fillers[type] ?? `no filler for ${type}`]))
    const values = Object.entries({ ...filled, ...row })
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local session_replication_role = replica`
        yield* sql.unsafe(
          `insert into ${table} (${values.map(([name]) => `"${name}"`).join()}) values (${values.map(([, value]) => value).join()})`
        )
      })
    )
  })

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** An account with its default workspace, and a key of a user there. */
const account_id = "aaaaaaaa-0000-4000-8000-000000000000"
const workspace_id = "bbbbbbbb-0000-4000-8000-000000000000"
const guardrail_id = "cccccccc-0000-4000-8000-000000000000"
const key = "a".repeat(64)

const oldAccount = Effect.gen(function* () {
  yield* put("gatewarden_account", {
    id: text(account_id),
    name: "'old'",
    default_workspace_id: text(workspace_id)
  })
  yield* put("gatewarden_workspace", {
    id: text(workspace_id),
    account_id: text(account_id),
    name: "'Default'",
    slug: "'default'",
    default_guardrail_id: text(guardrail_id)
  })
})

const oldKey = (hash: string) =>
  put("gatewarden_api_key", {
    hash: text(hash),
    account_id: text(account_id),
    workspace_id: text(workspace_id),
    kind: "'normal'",
    user_id: "'ann'"
  })

const usd = 1_000_000_000n

/** The budget of the default guardrail as it is asked for now: 10 USD a day. */
const budgetOf = (scope: Budget["scope"], entity: string, interval: Budget["interval"] = "daily"): Budget => ({
  ...{ scope, entity, guardrail_id, interval, limit_nanos: 10n * usd, include_byok: false }
})

describe.each(Object.entries(engines))("an upgrade on %s", (_, clients) => {
  const test = (
    name: string,
    before: number,
    old: Effect.Effect<void, unknown, SqlClient.SqlClient>,
    now: Effect.Effect<void, unknown, StorePorts | SqlClient.SqlClient | Scope.Scope>
  ) =>
    it.live(name, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const opened = Layer.succeedContext(yield* Layer.build(clients()))
          const left = Effect.andThen(
            migrate({ ...schema, migrations: schema.migrations.filter(({ id }) => id < before) }),
            old
          )
          yield* Effect.provide(left, opened)
          yield* Effect.provide(now, Layer.provideMerge(layerStore, opened))
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
      )
    )

  const charge = (scope: string) => ({
    scope,
    entity: key,
    guardrail_id,
    interval: "daily",
    nanos: "6",
    overdraft: "0"
  })
  const oldBudget = (scope: string, entity: string, interval = "daily") => ({
    ...{ scope, entity, guardrail_id, interval, limit_nanos: String(10n * usd), include_byok: false }
  })
  /** The least limits of three spenders for each of four intervals, each another. */
  const limits = Array.from({ length: 12 }, (_, index) => (index === 0 ? String(10n * usd) : String(1_000 + index)))
  // Of the current month, which the migration sums by day; the clock stands still there, so that midnight may come meanwhile.
  const clock = { now: new Date().setUTCHours(12, 0, 0, 0) }
  const noon = text(new Date(clock.now).toISOString())
  const today = `date_trunc('day', ${noon}::timestamptz at time zone 'UTC') at time zone 'UTC'`

  const oldBudgets = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* oldAccount
    yield* oldKey(key)
    const lists = [oldBudget("workspace", key), oldBudget("member", "ann"), oldBudget("workspace_budget", workspace_id)]
    yield* put("gatewarden_budget_list", {
      account_id: text(account_id),
      digest: "'old'",
      budgets: text(JSON.stringify(lists)),
      limits: text(`{${limits.join()}}`),
      full_limits: text(`{${limits.map(() => "null").join()}}`)
    })
    const [list] = yield* sql<{ id: string }>`select id::text from gatewarden_budget_list`
    // 6 USD are spent today, of which the key's window knows, and 1 USD is held.
    yield* put("gatewarden_usage_event", {
      id: "'spent'",
      ...{ account_id: text(account_id), workspace_id: text(workspace_id), api_key_hash: text(key), user_id: "'ann'" },
      ...{ cost_nanos: String(6n * usd), created_at: today, charged_at: today }
    })
    yield* put("gatewarden_usage_event", {
      id: "'long ago'",
      ...{ account_id: text(account_id), workspace_id: text(workspace_id), api_key_hash: text(key), user_id: "'ann'" },
      ...{ cost_nanos: String(2n * usd), created_at: `${noon}::timestamptz - interval '400 days'` }
    })
    for (const [spender, entity] of [
      ["key", key],
      ["user", "ann"],
      ["workspace", workspace_id]
    ] as const) {
      const whose = { account_id: text(account_id), spender: text(spender), entity: text(entity) }
      yield* put("gatewarden_spent", { ...whose, day: `(${today})::date`, charged_nanos: String(6n * usd) })
      yield* put("gatewarden_spent", { ...whose, day: "'-infinity'", charged_nanos: String(2n * usd) })
    }
    yield* put("gatewarden_budget_window", {
      ...{ account_id: text(account_id), spender: "'key'", entity: text(key), interval: "'daily'" },
      ...{ window_start: today, window_end: `${today} + interval '1 day'` },
      ...{ spent_nanos: String(6n * usd), held_nanos: String(usd), full_held_nanos: String(usd) }
    })
    const hold = {
      ...{ account_id: text(account_id), workspace_id: text(workspace_id), key_hash: text(key), user_id: "'ann'" },
      ...{
        held_at: noon,
        expires_at: `${noon}::timestamptz + interval '1 hour'`,
        budget_list_id: list?.id ?? "null",
        member: "'ann'"
      }
    }
    yield* put("gatewarden_hold", {
      ...{ ...hold, admission_id: "'open'", state: "'open'" },
      ...{ nanos: String(usd), full_nanos: String(usd) }
    })
    yield* put("gatewarden_hold", {
      ...{ ...hold, admission_id: "'settled'", state: "'settled'", nanos: "0", full_nanos: "0" },
      settlement: text(JSON.stringify({ charges: [charge("workspace"), charge("member")] }))
    })
    yield* put("gatewarden_budget_warning", {
      ...{ account_id: text(account_id), workspace_id: text(workspace_id), kind: "'half'", scope: "'workspace'" },
      ...{ entity: text(key), interval: "'daily'", window_start: today }
    })
    for (const scope of ["workspace", "workspace_budget"]) {
      const subject = text(`${scope}:${guardrail_id}:${key}:daily`)
      const data = text(JSON.stringify({ scope, entity: key, guardrail_id, interval: "daily" }))
      yield* put("gatewarden_alert", { account_id: text(account_id), workspace_id: text(workspace_id), subject, data })
      yield* put("gatewarden_alert_delivery", { account_id: text(account_id), subject })
    }
  }) as Effect.Effect<void, unknown, SqlClient.SqlClient>

  test(
    "from before budgets of default guardrails bound members: they deny what they denied, and sums stay",
    75,
    oldBudgets,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* BudgetLedger
      const [list] = yield* sql<{ budgets: readonly { scope: string }[]; limits: readonly (string | null)[] }>`
        select budgets, limits::text[] as limits from gatewarden_budget_list where digest = 'old'`
      assert.deepStrictEqual(
        list?.budgets.map(({ scope }) => scope),
        ["workspace_default_key", "member", "workspace_budget"]
      )
      assert.deepStrictEqual(
        list?.limits,
        [0, 3, 6, 9].flatMap((first) => [...limits.slice(first, first + 3), null])
      )
      const column = (statement: string) =>
        Effect.map(sql.unsafe<{ value: string }>(statement), (rows) => rows.map(({ value }) => value))
      assert.deepStrictEqual(yield* column("select scope as value from gatewarden_budget_warning"), [
        "workspace_default_key"
      ])
      for (const table of ["gatewarden_alert", "gatewarden_alert_delivery"])
        assert.deepStrictEqual(yield* column(`select subject as value from ${table} order by subject`), [
          `workspace_budget:${guardrail_id}:${key}:daily`,
          `workspace_default_key:${guardrail_id}:${key}:daily`
        ])
      assert.deepStrictEqual(yield* column("select data ->> 'scope' as value from gatewarden_alert order by subject"), [
        "workspace_budget",
        "workspace_default_key"
      ])
      assert.deepStrictEqual(
        yield* column(`select c ->> 'scope' as value from gatewarden_hold,
          jsonb_array_elements(settlement -> 'charges') c where admission_id = 'settled'`),
        ["workspace_default_key", "member"]
      )
      const budgets = [
        budgetOf("workspace_default_key", key),
        budgetOf("workspace_default_member", "ann"),
        budgetOf("workspace_default_member", "ann", "lifetime")
      ]
      const states = yield* ledger.states(account_id, workspace_id, budgets)
      assert.deepStrictEqual(
        states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
        [
          [6n * usd, usd],
          [6n * usd, usd],
          [8n * usd, usd]
        ]
      )
      const hold = (admission_id: string, nanos: bigint, asked: readonly Budget[]) =>
        ledger.hold(account_id, {
          ...{ admission_id, workspace_id, key_hash: key, user_id: "ann", hold_seconds: 60 },
          ...{ budgets: asked, costs: [{ nanos, byok: false }] }
        })
      // 3 USD are left to the key, and to the member over all keys.
      for (const asked of budgets.slice(0, 2)) assert.isFalse((yield* hold("more", 3n * usd + 1n, [asked])).held)
      const settled = yield* ledger.settle(
        account_id,
        spendingEvent({
          ...{
            id: "open",
            created_at: new Date(clock.now).toISOString(),
            workspace_id,
            api_key_hash: key,
            user_id: "ann"
          },
          cost_nanos: usd
        })
      )
      assert.deepStrictEqual("charges" in settled ? settled.charges.map(({ budget }) => budget.scope) : settled, [
        "workspace_default_key",
        "member",
        "workspace_budget"
      ])
      const after = yield* ledger.states(account_id, workspace_id, budgets)
      assert.deepStrictEqual(
        after.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
        [
          [7n * usd, 0n],
          [7n * usd, 0n],
          [9n * usd, 0n]
        ]
      )
      assert.isTrue((yield* hold("rest", 3n * usd, budgets.slice(0, 2))).held)
    }).pipe(byHand(clock))
  )

  const [recorded, spentCode, pruned, plain] = ["1", "2", "3", "4"].map((digit) => digit.repeat(64)) as [
    string,
    string,
    string,
    string
  ]

  test(
    "from before keys were known to be issued: ordinary keys designate presets as before",
    76,
    Effect.gen(function* () {
      yield* oldAccount
      for (const hash of [recorded, spentCode, pruned, plain]) yield* oldKey(hash)
      const made = (id: string, acting: string) =>
        put("gatewarden_changes", {
          ...{ account_id: text(account_id), noun: "'key'", action: "'create'", id: text(id), acting: text(acting) }
        })
      yield* made(recorded, JSON.stringify({ operation: "exchangeToken" }))
      yield* made(plain, JSON.stringify({ operation: "createKey" }))
      yield* made(pruned, "")
      yield* put("gatewarden_authorization_code", {
        ...{ code_hash: "'c'", account_id: text(account_id), workspace_id: text(workspace_id) },
        key_hash: text(spentCode)
      })
    }) as Effect.Effect<void, unknown, SqlClient.SqlClient>,
    Effect.gen(function* () {
      const keys = yield* (yield* ApiKeys).list(account_id, {
        kind: "normal",
        hashes: [recorded, spentCode, pruned, plain]
      })
      assert.deepStrictEqual(Object.fromEntries(keys.map(({ hash, issued_by }) => [hash, issued_by])), {
        [recorded]: "exchange",
        [spentCode]: "consent",
        [pruned]: null,
        [plain]: null
      })
      const workspace = yield* (yield* Workspaces).find(account_id, workspace_id)
      assert.deepInclude(Option.getOrThrow(workspace), { presets_designated_by: "any_key" })
    })
  )

  const scope = { account_id, key_hash: key, request_hash: "r".repeat(64) }
  const millis = Date.parse("2026-03-04T12:00:00.000Z")
  const stored = (request_hash: string, row: Readonly<Record<string, string>>) =>
    put("gatewarden_idempotency_record", {
      ...{
        account_id: text(account_id),
        key_hash: text(key),
        request_hash: text(request_hash),
        until: String(millis + 1)
      },
      ...row
    })

  test(
    "from before stored answers had a quota: they count, are replayed, and give their room back",
    80,
    Effect.gen(function* () {
      yield* oldAccount
      yield* stored(scope.request_hash, { body_hash: text("b".repeat(64)), status: "200", sealed: "'\\x010203'" })
      yield* stored("s".repeat(64), { body_hash: text("b".repeat(64)), status: "200", sealed: "'\\x0405'" })
      // Of a request that is in flight while the servers are stopped.
      yield* stored("t".repeat(64), {})
    }) as Effect.Effect<void, unknown, SqlClient.SqlClient>,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const records = yield* IdempotencyRecords
      const amounts = yield* StoredAmounts
      const bytes = Effect.map(amounts.kept(account_id, null, "idempotency_answer"), (amount) => amount.bytes)
      assert.strictEqual(yield* bytes, 5)
      const claim = yield* records.claim(scope, crypto.randomUUID(), millis, millis + 5_000)
      assert.deepStrictEqual(
        claim.kind === "answered" ? { ...claim.answer, sealed: [...claim.answer.sealed] } : claim,
        { body_hash: "b".repeat(64), status: 200, sealed: [1, 2, 3] }
      )
      yield* sql`delete from gatewarden_idempotency_record where request_hash = ${"s".repeat(64)}`
      assert.strictEqual(yield* bytes, 3)
    })
  )

  /** Takes away what migrations from 78 on made, so that the rows are those that this version sealed before. */
  const unsigned = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`drop table gatewarden_audit_signature, gatewarden_mail_recipient, gatewarden_organization_settings, gatewarden_private_provider, gatewarden_private_endpoint, gatewarden_external_user`
    yield* sql`alter table gatewarden_audit_chain drop column is_signed`
    yield* sql`alter table gatewarden_hold drop column is_charged_on_expiry`
    yield* sql`drop trigger gatewarden_alert_channel_renamed on gatewarden_alert_channel`
    yield* sql`drop trigger gatewarden_alert_channel_forgotten on gatewarden_alert_channel`
    yield* sql`drop trigger gatewarden_idempotency_record_answered on gatewarden_idempotency_record`
    yield* sql`drop trigger gatewarden_idempotency_record_forgotten on gatewarden_idempotency_record`
    yield* sql`alter table gatewarden_byok_credential drop column declared_region`
    yield* sql`delete from gatewarden_migration where id >= 78`
  })

  it.live("from before chains were signed: an old chain verifies, is signed as it is, and tells since when", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const opened = Layer.succeedContext(yield* Layer.build(clients()))
        const ports = () => Layer.provideMerge(layerStore, opened)
        const sql = yield* Effect.provide(SqlClient.SqlClient, opened)
        const owner = yield* Effect.gen(function* () {
          const made = yield* createAccount("old")
          if (made === undefined) return yield* Effect.die(new Error("account exists"))
          yield* sealChanges(made.account.id)
          return made.account.id
        }).pipe(Effect.provide(ports()))
        yield* Effect.provide(unsigned, opened)
        const verified = Effect.gen(function* () {
          const log = yield* AuditLog
          const [end] = yield* log.unsigned(owner, 10)
          const position = end?.position ?? 0
          assert.isAbove(position, 0)
          assert.isNull(end?.signature)
          // Before it is signed, and with its first signature.
          assert.deepInclude(yield* log.verify(owner, undefined), { head: { position, hash: end?.hash }, broken: [] })
          yield* signEnds(owner)
          assert.deepInclude(yield* verifyAuditLog(owner), {
            ...{ verified: position, removed: 0, is_signature_unreadable: false, broken: [] },
            signed: { position, since: position }
          })
          yield* sql`
            insert into gatewarden_changes (account_id, noun, action, id) values (${owner}, 'guardrail', 'create', 'x')`
          assert.deepInclude(yield* verifyAuditLog(owner), {
            ...{ verified: position + 1, removed: 0, broken: [] },
            signed: { position: position + 1, since: position }
          })
        })
        yield* Effect.provide(Effect.provide(verified, vault()), ports())
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  )
})
