/** That every table with an account has a policy, that every method of a port has an account or is named, and that a start finds policies without effect. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { makeTenantRole, setPolicies } from "@gatewarden/testkit/stores/tenantRole"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerPostgresStore } from "../../postgres/src/store/layerStore.ts"
import {
  rowLevelSecurityProblem,
  rowLevelSecurityState,
  tablesWithoutPolicy
} from "../../postgres/src/store/rowLevelSecurity.ts"
import { TenantScope } from "../../postgres/src/connection/tenantSessions.ts"
import { acrossAccounts, scopePorts } from "../../postgres/src/store/scopePorts.ts"

/** Tables of the installation. */
const ofInstallation =
  /^gatewarden_(?:app_cell|audit_horizon|background_job|dataset_span|function|migration|model|process|ranking_\w+|rate_limit|session_cell|task_cell|usage_batch|usage_horizon|usage_outlet)$/

const unpoliced = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname like 'gatewarden\\_%'
    and not c.relispartition and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'gatewarden_tenant')
  order by 1`

const database = Effect.promise(async () => {
  const url = await createMigratedDatabase(inject("postgres"))
  await makeTenantRole(url)
  return url
})

const problemAt = (url: string) =>
  Effect.map(
    rowLevelSecurityState.pipe(Effect.provide(layerPostgres({ url: Redacted.make(url) })), Effect.scoped),
    rowLevelSecurityProblem
  )

const startsAt = (url: string, migrate: "auto" | "off") =>
  Effect.scoped(
    Effect.exit(Layer.build(layerPostgresStore({ url: Redacted.make(url), rowLevelSecurity: true, migrate })))
  )

describe("row-level security", () => {
  it.live("has a policy on every table that has rows of accounts", () =>
    Effect.gen(function* () {
      const url = yield* database
      const names = (yield* Effect.promise(() => execute(url, unpoliced))).map(({ name }) => String(name))
      assert.deepEqual(
        names.filter((name) => !ofInstallation.test(name)),
        tablesWithoutPolicy
      )
    })
  )

  it.live("shows an account its own rows, and none without an account", () =>
    Effect.gen(function* () {
      const url = yield* database
      yield* Effect.promise(() => setPolicies(url, true))
      const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
      yield* Effect.promise(() =>
        execute(
          url,
          `insert into gatewarden_deleted_key (hash, account_id, deleted_at) values
          ('${"a".repeat(64)}', '${one}', now()), ('${"b".repeat(64)}', '${other}', now())`
        )
      )
      const owners = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`select account_id from gatewarden_deleted_key order by hash`
        return rows.map(({ account_id }) => account_id)
      })
      const as = (account: string | undefined) => Effect.provideService(owners, TenantScope, account)
      const seen = yield* Effect.forEach([one, other, undefined, crypto.randomUUID()], as).pipe(
        Effect.provide(layerPostgres({ url: Redacted.make(url), rowLevelSecurity: true })),
        Effect.scoped
      )
      assert.deepEqual(seen, [[one], [other], [one, other], []])
    })
  )

  it.live("keeps to the account after a transaction of another was rolled back", () =>
    Effect.gen(function* () {
      const url = yield* database
      yield* Effect.promise(() => setPolicies(url, true))
      const account = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`select current_setting('gatewarden.account') as account, current_user as name`
        return rows[0]
      })
      const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
      const seen = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Effect.provideService(account, TenantScope, one)
        yield* Effect.provideService(
          Effect.exit(sql.withTransaction(Effect.andThen(account, Effect.fail("undone")))),
          TenantScope,
          other
        )
        return yield* Effect.provideService(account, TenantScope, one)
      }).pipe(Effect.provide(layerPostgres({ url: Redacted.make(url), rowLevelSecurity: true })), Effect.scoped)
      assert.deepEqual(seen, { account: one, name: "gatewarden_tenant" })
    })
  )

  it.live("finds what makes it void", () =>
    Effect.gen(function* () {
      const url = yield* database
      assert.match((yield* problemAt(url)) ?? "", /may not read and write/)
      assert.strictEqual((yield* startsAt(url, "off"))._tag, "Failure")
      yield* Effect.promise(() => setPolicies(url, true))
      assert.isUndefined(yield* problemAt(url))
      assert.strictEqual((yield* startsAt(url, "off"))._tag, "Success")
      yield* Effect.promise(() => execute(url, "alter table gatewarden_guardrail disable row level security"))
      assert.match((yield* problemAt(url)) ?? "", /gatewarden_guardrail/)
      yield* Effect.promise(() => execute(url, "create policy wide on gatewarden_workspace using (true)"))
      assert.match((yield* problemAt(url)) ?? "", /gatewarden_guardrail, gatewarden_workspace/)
    })
  )

  it.live("is switched on by a start that may migrate", () =>
    Effect.gen(function* () {
      const url = yield* database
      assert.strictEqual((yield* startsAt(url, "auto"))._tag, "Success")
      assert.isUndefined(yield* problemAt(url))
    })
  )

  it.live("names ports and methods that exist, and refuses a method that takes no account", () =>
    Effect.gen(function* () {
      const url = yield* database
      const ports = yield* Layer.build(layerPostgresStore({ url: Redacted.make(url) }))
      for (const [port, methods] of Object.entries(acrossAccounts)) {
        const service = ports.mapUnsafe.get(`gatewarden/${port}`) as object | undefined
        assert.isDefined(service, port)
        if (methods !== "all") for (const method of methods) assert.property(service, method, port)
      }
      const scoped = scopePorts(ports).mapUnsafe.get("gatewarden/Guardrails") as {
        readonly find: (...args: readonly unknown[]) => unknown
      }
      assert.throws(() => scoped.find(1), /takes no account/)
    }).pipe(Effect.scoped)
  )
})
