/** Holds a store to the order of a workspace's budgets, whoever sets them at once. */
import { BudgetInterval } from "@gatewarden/contract"
import { createAccount, timestamp, type StorePorts, WorkspaceBudgets, Workspaces } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const intervals = BudgetInterval.options

export const workspaceBudgetsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`Workspace budgets: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)

    it("are in order, and share one setting, however many are set at once", () =>
      run(
        Effect.gen(function* () {
          const made = yield* createAccount(`account ${crypto.randomUUID()}`)
          if (made === undefined) return yield* Effect.die(new Error("account exists"))
          const { account, workspace } = made
          const budgets = yield* WorkspaceBudgets
          const at = yield* timestamp
          const drafts = Array.from({ length: 40 }, (_, index) => ({
            id: crypto.randomUUID(),
            workspace_id: workspace.id,
            interval: intervals[index % intervals.length] ?? "daily",
            limit_usd: ((index * 7) % 11) + 0.5,
            include_byok: index % 3 === 0
          }))
          const outcomes = yield* Effect.forEach(drafts, (draft) => budgets.put(account.id, draft, at), {
            concurrency: "unbounded"
          })
          // Each answer is the set as it was then, so every one of them is in order.
          const sets = outcomes.filter((outcome) => typeof outcome === "object")
          assert.isNotEmpty(sets)
          assert.include(outcomes, "out_of_order")
          assert.notInclude(outcomes, "missing")
          for (const set of [...sets, yield* budgets.of(account.id, workspace.id)]) {
            const rising = intervals.flatMap((interval) =>
              set.budgets
                .filter(({ reset_interval }) => (reset_interval ?? "lifetime") === interval)
                .map(({ limit_usd }) => limit_usd)
            )
            assert.deepEqual(
              rising,
              [...new Set(rising)].sort((one, other) => one - other)
            )
          }
        })
      ))

    it("share their setting with those of no other workspace", () =>
      run(
        Effect.gen(function* () {
          const made = yield* createAccount(`account ${crypto.randomUUID()}`)
          if (made === undefined) return yield* Effect.die(new Error("account exists"))
          const { account, workspace } = made
          const ids = { id: crypto.randomUUID(), default_guardrail_id: crypto.randomUUID() }
          const other = { ...workspace, ...ids, slug: "other" }
          yield* (yield* Workspaces).insert(account.id, other)
          const budgets = yield* WorkspaceBudgets
          const put = Effect.fnUntraced(function* (
            workspace_id: string,
            interval: BudgetInterval,
            include_byok: boolean
          ) {
            const draft = {
              id: crypto.randomUUID(),
              workspace_id,
              interval,
              limit_usd: interval === "daily" ? 1 : 2,
              include_byok
            }
            return yield* budgets.put(account.id, draft, yield* timestamp)
          })
          yield* put(other.id, "daily", false)
          yield* put(workspace.id, "daily", false)
          yield* put(workspace.id, "weekly", true)
          assert.isTrue((yield* budgets.of(account.id, workspace.id)).include_byok)
          assert.isFalse((yield* budgets.of(account.id, other.id)).include_byok)
        })
      ))
  })
}
