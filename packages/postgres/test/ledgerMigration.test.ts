/** Holds that the version before made are settled, given back and answered as they would have been. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { type Budget, BudgetLedger } from "@gatewarden/core/effect"
import { Effect, Layer, Redacted, References } from "effect"
import { inject } from "vitest"
import { createDatabase, execute } from "../../conformance/src/stores/postgresServer.ts"
import { spendingEvent } from "../../conformance/src/usage/spendingEvent.ts"
import { layerPostgresStore } from "../src/engine/layerStore.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { migrations } from "../src/migrations/migrations.ts"

const quiet = Layer.succeed(References.MinimumLogLevel, "None")
const account_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e00"
const workspace_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
const key_hash = "a".repeat(64)

const budgets: readonly Budget[] = [
  {
    scope: "key_limit",
    entity: key_hash,
    guardrail_id: null,
    interval: "lifetime",
    limit_nanos: 1_000n,
    include_byok: false
  },
  {
    scope: "member",
    entity: "user-1",
    guardrail_id: "11111111-1111-4111-8111-111111111111",
    interval: "lifetime",
    limit_nanos: 50n,
    include_byok: true
  }
]

/** As they were stored with a hold: `n` is the place of the window. */
const stored = JSON.stringify(
  budgets.map((budget, index) => ({ ...budget, limit_nanos: `${budget.limit_nanos}`, n: index + 1 }))
)
const settlement = JSON.stringify({
  charges: budgets.map((budget) => ({
    ...budget,
    limit_nanos: `${budget.limit_nanos}`,
    window_start: null,
    nanos: "7",
    overdraft_nanos: "0"
  })),
  overdraft_nanos: "0"
})

/** The first two windows counted it; the workspace's, which no budget watched, did not: that is how holds were, one version earlier. */
const before = `
  with windows as (
    insert into gatewarden_budget_window
      (account_id, spender, entity, interval, window_start, window_end, spent_nanos, byok_spent_nanos, held_nanos, full_held_nanos)
    values
      ('${account_id}', 'key', '${key_hash}', 'lifetime', '-infinity', 'infinity', 7, 0, 200, 200),
      ('${account_id}', 'user', 'user-1', 'lifetime', '-infinity', 'infinity', 7, 0, 200, 200),
      ('${account_id}', 'workspace', '${workspace_id}', 'lifetime', '-infinity', 'infinity', 7, 0, 0, 0)
    returning id, spender
  )
  insert into gatewarden_hold
    (admission_id, account_id, held_at, expires_at, state, window_ids, nanos, full_nanos, budgets, settlement, key_hash, user_id, workspace_id)
  select h.id, '${account_id}', now(), now() + interval '1 hour', h.state,
    array(select id from windows where spender <> 'workspace' order by id), 100, 100, '${stored}',
    case h.state when 'settled' then '${settlement}'::jsonb end, h.key, h.member, h.workspace
  from (values
    ('settled', 'settled', '${key_hash}', 'user-1', '${workspace_id}'::uuid),
    ('open', 'open', '${key_hash}', 'user-1', '${workspace_id}'::uuid),
    ('older', 'open', null, null, null)
  ) as h (id, state, key, member, workspace)`

const recorded = `
  insert into gatewarden_usage_event
    (account_id, id, workspace_id, created_at, recorded_at, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens,
     tool_calls, cost_nanos, byok_cost_nanos, byok, guardrail_invoked, response_cached, status, model, variant, provider,
     context_length_bucket, sample_weight, api_key_hash, user_id, charged_at)
  values ('${account_id}', 'settled', '${workspace_id}', now(), now(), 0, 0, 0, 0, 0, 7, 0, false, false, false, 'ok', 'm', '', 'p',
    '1K', 1, '${key_hash}', 'user-1', now())`

describe("the migration to batches", () => {
  it("keeps what is held and what was answered", async () => {
    const url = await createDatabase(inject("postgres"))
    await Effect.runPromise(
      Effect.provide(
        migrate(migrations.filter(({ id }) => id <= 27)),
        Layer.merge(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }), quiet)
      )
    )
    await execute(url, before, recorded)
    const event = (id: string, user_id: string | null = "user-1") =>
      spendingEvent({
        id,
        created_at: new Date().toISOString(),
        workspace_id,
        api_key_hash: key_hash,
        user_id,
        cost_nanos: 60n
      })
    await Effect.gen(function* () {
      const ledger = yield* BudgetLedger
      const repeated = yield* ledger.settle(account_id, event("settled"))
      assert.deepEqual(
        repeated.charges.map(({ budget, nanos }) => [budget, nanos]),
        budgets.map((budget) => [budget, 7n])
      )
      // The key that it was made with is gone: it is charged to the member all the same.
      const open = yield* ledger.settle(account_id, event("open", null))
      assert.deepEqual(
        open.charges.map(({ budget, nanos, overdraft_nanos }) => [budget, nanos, overdraft_nanos]),
        [
          [budgets[0], 60n, 0n],
          [budgets[1], 60n, 17n]
        ]
      )
      assert.strictEqual(open.overdraft_nanos, 17n)
      assert.deepEqual(yield* ledger.settle(account_id, event("open")), open)
      const workspace: Budget = {
        scope: "workspace_budget",
        entity: workspace_id,
        guardrail_id: null,
        interval: "lifetime",
        limit_nanos: 1_000n,
        include_byok: false
      }
      const states = yield* ledger.states(account_id, workspace_id, [...budgets, workspace])
      assert.deepEqual(
        states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
        [
          [67n, 100n],
          [67n, 100n],
          // What was held before spenders were noted is known of the windows that counted it alone.
          [67n, 0n]
        ]
      )
      yield* ledger.release(account_id, "older")
      for (const { held_nanos } of yield* ledger.states(account_id, workspace_id, [...budgets, workspace]))
        assert.strictEqual(held_nanos, 0n)
    }).pipe(
      Effect.provide(Layer.merge(layerPostgresStore({ url: Redacted.make(url) }), quiet)),
      Effect.scoped,
      Effect.runPromise
    )
  })
})
