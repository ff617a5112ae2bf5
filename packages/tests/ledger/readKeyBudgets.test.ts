/** What a key reads of its budgets: each with its window, and the one with the least left. Rule: access#budgets-of-a-key. */
import { assert, describe, it } from "@effect/vitest"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import type { BudgetInterval, Guardrail } from "@gatewarden/contract"
import { layerMemory } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { printedBudgetState, printedWindow, readKeyBudgets } from "../../core/src/ledger/readKeyBudgets.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"
import { unsetKey } from "../../core/src/ports/keys.ts"
import { type Budget, BudgetLedger, type Cost } from "../../core/src/ports/ledger.ts"
import type { GuardrailScope, PolicySource } from "../../core/src/ports/policySources.ts"

const created_at = "2026-03-04T12:00:00.000Z"
const now = Date.parse(created_at)
const account_id = "account"
const workspace_id = "workspace"
const hash = "hash"

const applied = (
  scope: GuardrailScope,
  id: string,
  limit_usd: number,
  reset_interval: Guardrail["reset_interval"]
) => ({
  scope,
  guardrail: {
    ...unrestricted,
    ...{ id, workspace_id, name: id, created_at, updated_at: null },
    ...{ limit_usd, reset_interval, include_byok_in_budgets: true }
  }
})

const limit = (id: string, interval: BudgetInterval, limit_usd: number) => ({ id, interval, limit_usd })

const sourceOf = (
  key: Partial<PolicySource["key"]>,
  guardrails: PolicySource["guardrails"] = [],
  limits: PolicySource["workspace"]["limits"] = []
): PolicySource => ({
  key: {
    ...unsetKey,
    ...{ hash, account_id, kind: "normal", workspace_id, name: "key", label: "sk-…", created_at, updated_at: null },
    ...{ user_id: "ann", default_workspace_id: workspace_id, is_operator: false, is_suspended: false, secrets: [] },
    ...key
  },
  guardrails,
  workspace: {
    limits,
    include_byok: false,
    default_text_model: "",
    default_provider_sort: "",
    disabled_server_tools: []
  },
  rate_limits: null
})

/** Holds an amount of the key, and settles it at another one if that is told. */
const spends = Effect.fnUntraced(function* (nanos: bigint, charged?: bigint, cost: Partial<Cost> = {}) {
  const ledger = yield* BudgetLedger
  const id = crypto.randomUUID()
  const whose = { workspace_id, user_id: "ann" }
  const costs = [{ nanos, byok: false, ...cost }]
  yield* ledger.hold(account_id, { ...whose, admission_id: id, key_hash: hash, budgets: [], costs, hold_seconds: 600 })
  if (charged !== undefined)
    yield* ledger.settle(
      account_id,
      spendingEvent({ ...whose, id, created_at, api_key_hash: hash, cost_nanos: charged })
    )
})

const cent = 10_000_000n

describe("the budgets that a key reads", () => {
  it.effect("are each with what was spent, is held and is left, and when they reset", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* spends(cent, 25n * cent)
      yield* spends(10n * cent)
      const { budgets, effective_budget } = yield* readKeyBudgets(
        sourceOf({ limit: 2, limit_reset: "weekly", include_byok_in_limit: true })
      )
      const expected = {
        scope: "key_limit",
        budget_id: null,
        guardrail_id: null,
        include_byok: true,
        limit_usd: 2,
        spend_usd: 0.25,
        held_usd: 0.1,
        remaining_usd: 1.65,
        reset_interval: "weekly",
        resets_at: "2026-03-09T00:00:00.000Z"
      } as const
      assert.deepStrictEqual(budgets, [expected])
      assert.deepStrictEqual(effective_budget, expected)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("come in the order in which they are enforced, those of a workspace from the shortest", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { budgets } = yield* readKeyBudgets(
        sourceOf(
          { limit: 9 },
          [
            applied("key", "of-key", 5, "monthly"),
            applied("member", "of-ann", 4, null),
            applied("workspace", "all", 3, "daily")
          ],
          [
            limit("four", "lifetime", 40),
            limit("one", "daily", 10),
            limit("three", "monthly", 30),
            limit("two", "weekly", 20)
          ]
        )
      )
      assert.deepStrictEqual(
        budgets.map((one) => [
          one.scope,
          one.guardrail_id,
          one.budget_id,
          one.limit_usd,
          one.reset_interval,
          one.resets_at
        ]),
        [
          ["workspace_default_member", "all", null, 3, "daily", "2026-03-05T00:00:00.000Z"],
          ["workspace_default_key", "all", null, 3, "daily", "2026-03-05T00:00:00.000Z"],
          ["member", "of-ann", null, 4, null, null],
          ["api_key", "of-key", null, 5, "monthly", "2026-04-01T00:00:00.000Z"],
          ["workspace", null, "one", 10, "daily", "2026-03-05T00:00:00.000Z"],
          ["workspace", null, "two", 20, "weekly", "2026-03-09T00:00:00.000Z"],
          ["workspace", null, "three", 30, "monthly", "2026-04-01T00:00:00.000Z"],
          ["workspace", null, "four", 40, null, null],
          ["key_limit", null, null, 9, null, null]
        ]
      )
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("count what is held and spent by whom they limit, and the one with the least left is effective", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* spends(0n, 100n * cent)
      yield* spends(50n * cent)
      const read = (limits: PolicySource["workspace"]["limits"], usd: number) =>
        Effect.map(readKeyBudgets(sourceOf({ limit: usd }, [], limits)), ({ budgets, effective_budget }) => [
          effective_budget?.scope,
          effective_budget?.budget_id,
          effective_budget?.remaining_usd,
          budgets.length
        ])
      const limits = [limit("one", "daily", 3), limit("two", "lifetime", 4)]
      assert.deepStrictEqual(yield* read(limits, 5), ["workspace", "one", 1.5, 3])
      assert.deepStrictEqual(yield* read(limits, 2.5), ["key_limit", null, 1, 3])
      assert.deepStrictEqual(yield* read(limits, 1), ["key_limit", null, -0.5, 3], "an overdrawn one")
      assert.deepStrictEqual(yield* read(limits, 3), ["workspace", "one", 1.5, 3], "the first of two")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("of a workspace's default guardrail count what its user spends there, and what the key does", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* spends(0n, 100n * cent)
      yield* spends(50n * cent)
      const { budgets } = yield* readKeyBudgets(sourceOf({}, [applied("workspace", "all", 3, "daily")]))
      assert.deepStrictEqual(
        budgets.map(({ scope, spend_usd, held_usd }) => [scope, spend_usd, held_usd]),
        [
          ["workspace_default_member", 1, 0.5],
          ["workspace_default_key", 1, 0.5]
        ]
      )
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("are none for a key without one, for which no ledger is asked", () =>
    Effect.gen(function* () {
      const read = readKeyBudgets(sourceOf({})) as Effect.Effect<unknown>
      assert.deepStrictEqual(yield* read, { budgets: [], effective_budget: null })
    })
  )
})

describe("a budget in a decision", () => {
  const budget: Budget = {
    scope: "member",
    entity: "ann",
    guardrail_id: "guardrail",
    interval: "daily",
    limit_nanos: 5n * cent,
    include_byok: false
  }

  it("is told with its window, and with amounts as exact texts", () => {
    assert.deepStrictEqual(printedBudgetState({ budget, window_start: now, spent_nanos: 1n }), {
      scope: "member",
      entity: "ann",
      guardrail_id: "guardrail",
      interval: "daily",
      window_start: created_at,
      limit_usd: "0.05",
      spent_usd: "0.000000001"
    })
    assert.strictEqual(printedWindow(0), "1970-01-01T00:00:00.000Z")
    assert.isNull(printedWindow(null))
  })
})
