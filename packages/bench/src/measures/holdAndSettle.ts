/**
 * Money: hold, then settle, beside the same by hand: a hold that is inserted and adds to its windows where they allow it; its
 * settlement, which charges them, closes the hold and records the event. Two transactions each, on windows of the same shape.
 */
import { PgPool } from "@effect/sql-pg"
import { type Budget, BudgetLedger } from "@gatewarden/core/store"
import { Effect, Exit, Redacted, Scope } from "effect"
import { hash, randomUUID } from "node:crypto"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { makeTenantRole } from "@gatewarden/testkit/stores/tenantRole"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { callConcurrently } from "../callConcurrently.ts"
import type { Contender, Race } from "../Measure.ts"
import { type Bench, connections } from "../openBench.ts"
import { openLibrary } from "../openLibrary.ts"

/** So much that nothing is ever denied. */
const ample = 10n ** 18n

interface Spending {
  readonly key: string
  readonly user_id: string
  readonly workspace_id: string
  readonly budgets: readonly Budget[]
}

/** A key with a limit and a guardrail's budget, inside its member and its workspace. */
const fourScopes = (index: number, workspace: number): Spending => {
  const digest = hash("sha256", `spending ${workspace} ${index}`, "hex")
  const user_id = `user-${workspace}-${index}`
  const workspace_id = `00000000-0000-4000-8000-${`${workspace}`.padStart(12, "0")}`
  const budget = (scope: Budget["scope"], entity: string, interval: Budget["interval"]): Budget => ({
    scope,
    entity,
    guardrail_id: null,
    interval,
    limit_nanos: ample,
    include_byok: false
  })
  return {
    key: digest,
    user_id,
    workspace_id,
    budgets: [
      budget("key_limit", digest, "lifetime"),
      budget("key", digest, "daily"),
      budget("member", user_id, "weekly"),
      budget("workspace_budget", workspace_id, "monthly")
    ]
  }
}

const bareTables = [
  "create table if not exists bare_window (id bigint primary key, spent bigint not null, held bigint not null, most bigint not null) with (fillfactor = 50)",
  `create table if not exists bare_hold (id text primary key, windows bigint[] not null, amount bigint not null, expires_at timestamptz not null,
    state text not null) with (fillfactor = 70)`,
  "create table if not exists bare_event (like gatewarden_usage_event including all)",
  `insert into bare_window select n, 0, 0, ${ample} from generate_series(0, 19999) as n on conflict do nothing`
]

/** The place of a window by what it is of: a workspace's is shared by its keys. */
const placesOf = (spendings: readonly Spending[]): ReadonlyMap<string, bigint> => {
  const names = spendings.flatMap(({ budgets }) => budgets.map(({ entity, interval }) => `${entity} ${interval}`))
  return new Map([...new Set(names)].map((name, place) => [name, BigInt(place)]))
}

const openBare = async ({ databaseUrl, account_id }: Bench, spendings: readonly Spending[]) => {
  const places = placesOf(spendings)
  await execute(databaseUrl, ...bareTables)
  const scope = Scope.makeUnsafe()
  const pool = await Effect.runPromise(
    Scope.provide(
      PgPool.make({ url: Redacted.make(databaseUrl), multiplex: false, maxConnections: connections }),
      scope
    )
  )
  const spend = (index: number) => {
    const spending = spendings[index % spendings.length] as Spending
    // The workspace's last, so that others wait for it as short as possible.
    const windows = spending.budgets.map(({ entity, interval }) => places.get(`${entity} ${interval}`) ?? 0n)
    const id = randomUUID()
    const held = pool.use((connection) =>
      Effect.gen(function* () {
        yield* connection.query("begin")
        yield* connection.query(
          "insert into bare_hold values ($1, $2::bigint[], $3::bigint, now() + interval '10 minutes', 'open')",
          [id, `{${windows.join(",")}}`, 1000n]
        )
        for (const window of windows)
          yield* connection.query(
            "update bare_window set held = held + $2::bigint where id = $1::bigint and spent + held + $2::bigint <= most returning spent",
            [window, 1000n]
          )
        yield* connection.query("commit")
      })
    )
    const settled = pool.use((connection) =>
      Effect.gen(function* () {
        yield* connection.query("begin")
        for (const window of windows)
          yield* connection.query(
            "update bare_window set held = held - $2::bigint, spent = spent + $3::bigint where id = $1::bigint",
            [window, 1000n, 700n]
          )
        yield* connection.query("update bare_hold set state = 'settled' where id = $1 and state = 'open'", [id])
        yield* connection.query(
          `insert into bare_event (account_id, id, workspace_id, created_at, recorded_at, model, variant, provider, api_key_hash,
             user_id, status, byok, guardrail_invoked, response_cached, prompt_tokens, completion_tokens, reasoning_tokens,
             cached_tokens, tool_calls, context_length_bucket, cost_nanos, byok_cost_nanos, sample_weight)
           values ($1::uuid, $2, $3::uuid, now(), now(), 'acme/sonnet', '', 'acme', $4, $5, 'ok', false, false, false, 1, 1, 0, 0, 0,
             '1K', 700, 0, 1)`,
          [account_id, id, spending.workspace_id, spending.key, spending.user_id]
        )
        yield* connection.query("commit")
      })
    )
    return Effect.andThen(held, settled)
  }
  const contender: Contender = callConcurrently(connections, (index, onDone) => {
    Effect.runFork(spend(index)).addObserver((exit) => {
      if (Exit.isFailure(exit)) throw new Error(`The statements by hand failed: ${String(exit.cause)}`)
      onDone()
    })
  })
  return { contender, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Holds and settles the nth of the spendings, in turn. */
const spending = ({ account_id }: Bench, spendings: readonly Spending[]) =>
  Effect.fnUntraced(function* (index: number) {
    const { key, user_id, workspace_id, budgets } = spendings[index % spendings.length] as Spending
    const ledger = yield* BudgetLedger
    const admission_id = randomUUID()
    yield* ledger.hold(account_id, {
      admission_id,
      workspace_id,
      key_hash: key,
      user_id,
      budgets,
      costs: [{ nanos: 1000n, byok: false }],
      hold_seconds: 600
    })
    const created_at = new Date().toISOString()
    yield* ledger.settle(
      account_id,
      spendingEvent({
        id: admission_id,
        created_at,
        workspace_id,
        api_key_hash: key,
        user_id,
        cost_nanos: 700n
      })
    )
  })

const race = (name: string, atLeast: number, spendings: readonly Spending[]): Race => ({
  kind: "race",
  name,
  atLeast,
  open: async (bench) => {
    const library = await openLibrary(bench)
    const bare = await openBare(bench, spendings)
    const spend = spending(bench, spendings)
    // The windows are there before, as those by hand are.
    await library.run(Effect.forEach(spendings.keys(), spend, { concurrency: 8, discard: true }))
    // What autovacuum does within a minute: plans were made while the tables were empty.
    await execute(bench.databaseUrl, "analyze")
    return {
      ours: callConcurrently(connections, (index, onDone) => library.start(spend(index), onDone)),
      bare: { "by hand, two transactions": bare.contender },
      close: async () => {
        await library.close()
        await bare.close()
      }
    }
  }
})

const inOneWorkspace = Array.from({ length: 1_000 }, (_, index) => fourScopes(index, 1))
const inMany = Array.from({ length: 500 }, (_, index) => fourScopes(index, 1_000 + index))
const one = fourScopes(0, 2)

export const holdAndSettle: readonly Race[] = [
  race("Hold and settle, four scopes, 1,000 keys of one workspace", 1.5, inOneWorkspace),
  race("Hold and settle, four scopes, 500 workspaces", 0.6, inMany),
  race("Hold and settle, one hot budget", 0.8, [{ ...one, budgets: one.budgets.slice(0, 1) }])
]

/** Statements of the ledger run for all accounts, so row-level security is to cost them nothing: the gate leaves room for noise. */
export const heldWithRowLevelSecurity: Race = {
  kind: "race",
  name: "Hold and settle with row-level security, four scopes",
  atLeast: 0.7,
  open: async (bench) => {
    await makeTenantRole(bench.databaseUrl)
    const held = await openLibrary(bench, { rowLevelSecurity: true })
    const unheld = await openLibrary(bench)
    const spend = spending(bench, inOneWorkspace)
    await unheld.run(Effect.forEach(inOneWorkspace.keys(), spend, { concurrency: 8, discard: true }))
    await execute(bench.databaseUrl, "analyze")
    const through = (library: typeof held) =>
      callConcurrently(connections, (index, onDone) => library.start(spend(index), onDone))
    return {
      ours: through(held),
      bare: { "without it": through(unheld) },
      close: async () => {
        await held.close()
        await unheld.close()
      }
    }
  }
}
