/**
 * The kept counts of lists equal their rows after random lives on PostgreSQL: changes at once, workspaces, guardrails and keys that are
 * deleted under others, assignments that move, and a database that was restored.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { newApiKey, unrestricted } from "@gatewarden/core/internal"
import {
  finishLoad,
  inLoad,
  inSnapshot,
  layerPostgres,
  layerPostgresStore,
  loadLines,
  migrate,
  prepareLoad,
  readLines,
  readTables,
  schema
} from "@gatewarden/postgres/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Redacted, References } from "effect"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import {
  at,
  bytes,
  credentialIn,
  destinationIn,
  draftIn,
  how,
  one,
  ports
} from "@gatewarden/conformance/internal/stores/accountFixture"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

/** Counts of lists that are kept beside those of their rows, where the two differ. */
const differing = (url: string) =>
  execute(
    url,
    `with listed (account_id, owner, kind) as (
       select account_id, workspace_id, 'guardrail' from gatewarden_guardrail
       union all select account_id, workspace_id, 'credential' from gatewarden_byok_credential
       union all select account_id, workspace_id, 'credential ' || provider from gatewarden_byok_credential
       union all select account_id, workspace_id, 'member' from gatewarden_workspace_member
       union all select account_id, workspace_id, 'destination' from gatewarden_destination
       union all select account_id, workspace_id, 'preset' from gatewarden_preset
       union all select account_id, workspace_id, 'preset_version'
         from gatewarden_preset p join gatewarden_preset_version v on v.preset_id = p.id
       union all select account_id, workspace_id, 'warning' from gatewarden_budget_warning
       union all select account_id, guardrail_id, 'key_assignment' from gatewarden_guardrail_key
       union all select account_id, guardrail_id, 'member_assignment' from gatewarden_guardrail_member
       union all select account_id, workspace_id, 'key' from gatewarden_api_key where workspace_id is not null
       union all select account_id, workspace_id, 'enabled_key' from gatewarden_api_key where workspace_id is not null and not disabled
     ), counted as (
       select account_id, kind, owner, count(*) as rows from listed group by account_id, kind, owner
       union all
       select account_id, kind, '00000000-0000-0000-0000-000000000000', count(*) from (
         select account_id, kind from listed where kind not like 'credential %' and kind not in ('key', 'enabled_key', 'preset_version')
         union all select account_id, 'key' from gatewarden_api_key
         union all select account_id, 'workspace' from gatewarden_workspace
         union all select account_id, 'directory_user' from gatewarden_directory_user
         union all select account_id, 'directory_group' from gatewarden_directory_group
         union all select account_id, 'group_mapping' from gatewarden_group_mapping
         union all select account_id, 'user' from (
           select account_id, user_id from gatewarden_api_key where user_id is not null
           union select account_id, user_id from gatewarden_workspace_member
           union select account_id, user_id from gatewarden_directory_user
         ) named
       ) owned group by account_id, kind
     ), kept as (
       select account_id, kind, workspace_id as owner, sum(rows) as rows from gatewarden_stored_amount
       group by account_id, kind, workspace_id
     )
     select kind, owner::text, counted.rows::int as counted, kept.rows::int as kept
     from counted full join kept using (account_id, kind, owner) where coalesce(counted.rows, 0) <> coalesce(kept.rows, 0)`
  )

/** What can be done to an account, by small numbers that name its workspaces, guardrails, keys and users. */
const steps = fc.constantFrom(
  "workspace",
  "removeWorkspace",
  "guardrail",
  "guardrail",
  "removeGuardrail",
  "credential",
  "destination",
  "preset",
  "key",
  "disableKey",
  "removeKey",
  "addMembers",
  "removeMembers",
  "assignKeys",
  "assignKeys",
  "unassignKeys",
  "assignMembers",
  "assignMembers",
  "unassignMembers",
  "warning"
)
const lives = fc.array(fc.array(fc.tuple(steps, fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 8 }), {
  minLength: 4,
  maxLength: 12
})
type Step = readonly [step: string, one: number, other: number]

describe("counts of lists", () => {
  let installation: Installation
  let url: string
  beforeAll(async () => {
    url = await createMigratedDatabase(inject("postgres"))
    const store = layerPostgresStore({ url: Redacted.make(url), writeConnections: 8, notifications: false })
    installation = await Installation.start({ store, door: fetchDoor })
  })
  afterAll(() => installation.stop())

  const live = async (life: readonly (readonly Step[])[]) => {
    const { account_id, workspace_id } = await installation.newWorld()
    const workspaces = [workspace_id]
    const guardrails: string[] = []
    const keys: string[] = []
    const users = ["ann", "bob", "cleo", "dora"]
    const take = Effect.fnUntraced(function* ([step, first, second]: Step) {
      const port = yield* ports
      const workspace = workspaces[first % workspaces.length] ?? workspace_id
      const guardrail = guardrails[first % guardrails.length] ?? randomUUID()
      const key = keys[second % keys.length] ?? "none"
      const user = users[second] ?? "ann"
      switch (step) {
        case "workspace": {
          const own = { id: randomUUID() as string, slug: `one-${randomUUID()}`, default_guardrail_id: randomUUID() }
          const made = { ...Option.getOrThrow(yield* port.workspaces.find(account_id, workspace_id)), ...own }
          if (yield* port.workspaces.insert(account_id, made)) workspaces.push(made.id)
          return
        }
        case "removeWorkspace":
          return workspace === workspace_id
            ? undefined
            : yield* port.workspaces.remove(account_id, workspace, { force: true, now: at })
        case "guardrail": {
          const made = { id: randomUUID() as string, workspace_id: workspace, name: "one", ...unrestricted }
          if (yield* port.guardrails.insert(account_id, { ...made, created_at: at, updated_at: null }))
            guardrails.push(made.id)
          return
        }
        case "removeGuardrail":
          return yield* port.guardrails.remove(account_id, guardrail)
        case "credential": {
          const made = { ...credentialIn(workspace), provider: second > 1 ? "openai" : "anthropic" }
          return yield* port.credentials.insert(account_id, made, bytes)
        }
        case "destination":
          return yield* port.destinations.insert(account_id, destinationIn(workspace), bytes)
        case "preset":
          return yield* port.presets.append(account_id, { ...draftIn(workspace), slug: user })
        case "key": {
          const named = { kind: "normal", account_id, workspace_id: workspace, name: "key", user_id: user } as const
          const { record } = yield* newApiKey(named)
          if (yield* port.keys.insert(record)) keys.push(record.hash)
          return
        }
        case "disableKey":
          return yield* port.keys.update(account_id, key, { disabled: first < 2 }, at)
        case "removeKey":
          return yield* port.keys.remove(account_id, key, at)
        case "addMembers":
          return yield* port.members.add(account_id, workspace, [{ user_id: user, id: randomUUID() }], at)
        case "removeMembers":
          return yield* port.members.remove(account_id, workspace, [user], at)
        case "assignKeys":
          return yield* port.assignments.assignKeys(account_id, guardrail, one(key), how)
        case "unassignKeys":
          return yield* port.assignments.unassignKeys(account_id, guardrail, [key])
        case "assignMembers":
          return yield* port.assignments.assignMembers(account_id, guardrail, one(user), how)
        case "unassignMembers":
          return yield* port.assignments.unassignMembers(account_id, guardrail, [user])
        default:
          return yield* port.ledger.hold(account_id, {
            admission_id: randomUUID(),
            workspace_id: workspace,
            key_hash: key,
            user_id: user,
            budgets: [
              {
                scope: "key_limit",
                entity: key,
                guardrail_id: null,
                interval: "lifetime",
                limit_nanos: 1n,
                include_byok: false
              }
            ],
            costs: [{ nanos: 2n, byok: false }],
            hold_seconds: 60
          })
      }
    })
    for (const together of life)
      await installation.run(Effect.forEach(together, take, { concurrency: "unbounded", discard: true }))
  }

  it("equal their rows after random lives", { tags: ["deep"], timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        await live(life)
        assert.deepEqual(await differing(url), [])
      }),
      { numRuns: 40 }
    )
    const kinds = await execute(
      url,
      "select kind from gatewarden_stored_amount where rows > 0 group by kind order by kind"
    )
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      [
        "credential",
        "credential anthropic",
        "credential openai",
        "destination",
        "enabled_key",
        "guardrail",
        "key",
        "key_assignment",
        "member",
        "member_assignment",
        "preset",
        "preset_version",
        "user",
        "warning",
        "workspace"
      ]
    )
    const [orphans] = await execute(
      url,
      `select count(*)::int as n from gatewarden_stored_amount where kind <> 'warning'
         and workspace_id <> '00000000-0000-0000-0000-000000000000'
         and workspace_id not in (select id from gatewarden_workspace union all select id from gatewarden_guardrail)`
    )
    assert.strictEqual(orphans?.["n"], 0, "amounts of owners that are gone")
  })

  it("count a user that is named while the last name goes, whichever is first", async () => {
    const { account_id, workspace_id } = await installation.newWorld()
    const member = `'${workspace_id}', 'eve'`
    const names = `insert into gatewarden_api_key (hash, account_id, kind, workspace_id, user_id, name, label, disabled,
        include_byok_in_limit, created_at)
      values ('${randomUUID()}', '${account_id}', 'normal', ${member}, 'k', 'l', false, false, now())`
    const goes = `delete from gatewarden_workspace_member where (workspace_id, user_id) = (${member})`
    for (const [first, second] of [
      [names, goes],
      [goes, names]
    ] as const) {
      await execute(
        url,
        `delete from gatewarden_api_key where user_id = 'eve'`,
        `insert into gatewarden_workspace_member (workspace_id, user_id, id, account_id, role, created_at)
         values (${member}, gen_random_uuid(), '${account_id}', 'member', now())`
      )
      const connection = await openConnection(url)
      await connection.query("begin")
      await connection.query(first)
      let isDone = false
      const other = execute(url, second).then(() => (isDone = true))
      await eventually("the other waits", async () => {
        const waiting = await execute(
          url,
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        )
        return isDone || waiting.length > 0 ? true : undefined
      })
      await connection.query("commit")
      await Promise.all([other, connection.close()])
      assert.lengthOf(await execute(url, "select from gatewarden_named_user where user_id = 'eve'"), 1)
      assert.deepEqual(await differing(url), [])
    }
  })

  it("equal their rows in a database that was restored", async () => {
    const other = await createMigratedDatabase(inject("postgres"))
    const at = <A, E>(there: string, work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerPostgres>>>) =>
      Effect.runPromise(
        Effect.provide(work, layerPostgres({ url: Redacted.make(there) })).pipe(
          Effect.provideService(References.MinimumLogLevel, "None"),
          Effect.scoped
        )
      )
    const lines = await at(
      url,
      Effect.gen(function* () {
        const read: Record<string, string[]> = {}
        for (const table of yield* readTables)
          yield* readLines(table, (some) => Effect.sync(() => void (read[table.name] ??= []).push(...some)))
        return read
      }).pipe(inSnapshot)
    )
    await at(
      other,
      Effect.gen(function* () {
        yield* migrate(schema)
        const tables = yield* readTables
        yield* inLoad(
          Effect.gen(function* () {
            yield* prepareLoad(tables)
            for (const table of tables) yield* loadLines(table, lines[table.name] ?? [])
            yield* finishLoad(tables)
          })
        )
      })
    )
    assert.deepEqual(await differing(other), [])
    const [restored] = await execute(other, "select count(*)::int as n from gatewarden_stored_amount")
    assert.isAbove(Number(restored?.["n"]), 0)
  })
})
