/** The cases of the four operations on the budgets of a workspace. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type Case, type CasesOf, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import { workspaceCases } from "./workspaceCases.ts"

const at = (interval: string, id = "default") => ({ id, interval })

const put = (world: World, interval: string, limit_usd: unknown, fields: object = {}) =>
  world.call("putWorkspaceBudget", { params: at(interval), body: { limit_usd, ...fields } })

const limits = async (world: World) =>
  (await world.call("listWorkspaceBudgets", { params: { id: "default" } })).json.data.map(
    (budget: { reset_interval: string | null; limit_usd: number }) => [budget.reset_interval, budget.limit_usd]
  )

/** The interval in the path, for the operations that have one. */
const intervalCases = (operation: OperationId): readonly Case[] =>
  ["hourly", "DAILY", "null"].map((interval) => ({
    name: `the interval ${interval}`,
    status: 400,
    run: (world: World) => world.call(operation, { params: at(interval), body: undefined, ...bodyOf(operation) }),
    check: ({ json }) => {
      assert.strictEqual(json.error.metadata.reason, "unknown_interval")
      assert.strictEqual(json.error.metadata.issues[0].path, "path.interval")
    }
  }))

const bodyOf = (operation: OperationId) => (operation === "putWorkspaceBudget" ? { body: { limit_usd: 1 } } : {})

const bad = (name: string, body: object, path: string) =>
  refused("putWorkspaceBudget", name, { params: at("daily"), body }, { path })

const putting: readonly Case[] = [
  {
    name: "a new one, by id",
    status: 200,
    run: (world) =>
      world.call("putWorkspaceBudget", { params: at("monthly", world.workspace_id), body: { limit_usd: 0.000000001 } }),
    check: ({ json }, world) => {
      assert.deepEqual(json, {
        data: {
          id: json.data.id,
          workspace_id: world.workspace_id,
          limit_usd: 0.000000001,
          reset_interval: "monthly",
          created_at: nowIn(world),
          updated_at: nowIn(world)
        },
        include_byok_in_budgets: false
      })
    }
  },
  {
    name: "again: the same budget, updated_at only when the limit changes",
    status: 200,
    run: async (world) => {
      const made = (await put(world, "lifetime", 5)).json.data
      assert.isNull(made.reset_interval)
      world.installation.clock.now += 1000
      assert.deepEqual((await put(world, "lifetime", 5)).json.data, made)
      const answer = await put(world, "lifetime", 4)
      assert.deepEqual(answer.json.data, { ...made, limit_usd: 4, updated_at: nowIn(world) })
      return answer
    }
  },
  {
    name: "a longer interval has more, whichever comes first",
    status: 200,
    run: async (world) => {
      for (const [interval, limit] of [
        ["monthly", 300],
        ["daily", 10],
        ["lifetime", 300.000000001],
        ["weekly", 10.000000001]
      ] as const)
        assert.strictEqual((await put(world, interval, limit)).status, 200)
      for (const [interval, limit] of [
        ["daily", 10.000000001],
        ["weekly", 10],
        ["weekly", 300],
        ["monthly", 300.000000001],
        ["lifetime", 300]
      ] as const) {
        const answer = await put(world, interval, limit)
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.json.error.metadata.reason, "budget_order")
      }
      return put(world, "monthly", 299)
    },
    check: async (_, world) =>
      assert.deepEqual(await limits(world), [
        ["daily", 10],
        ["weekly", 10.000000001],
        ["monthly", 299],
        [null, 300.000000001]
      ])
  },
  {
    name: "equal to a shorter interval",
    status: 400,
    run: async (world) => {
      await put(world, "daily", 5)
      return put(world, "monthly", 5)
    },
    check: async ({ json }, world) => {
      assert.strictEqual(json.error.metadata.reason, "budget_order")
      assert.deepEqual(await limits(world), [["daily", 5]])
    }
  },
  {
    name: "BYOK counts in all of them or in none, and stays as it was unless it is sent",
    status: 200,
    run: async (world) => {
      await put(world, "daily", 5)
      const counted = await put(world, "weekly", 50, { include_byok_in_budgets: true })
      assert.isTrue(counted.json.include_byok_in_budgets)
      const daily = await world.call("getWorkspaceBudget", { params: at("daily") })
      assert.isTrue(daily.json.include_byok_in_budgets)
      assert.isTrue((await put(world, "lifetime", 500)).json.include_byok_in_budgets)
      assert.isTrue((await put(world, "lifetime", 500, { include_byok_in_budgets: null })).json.include_byok_in_budgets)
      return put(world, "daily", 5, { include_byok_in_budgets: false })
    },
    check: async ({ json }, world) => {
      assert.isFalse(json.include_byok_in_budgets)
      const listed = await world.call("listWorkspaceBudgets", { params: { id: "default" } })
      assert.isFalse(listed.json.include_byok_in_budgets)
    }
  },
  bad("no limit", {}, "limit_usd"),
  bad("a null limit", { limit_usd: null }, "limit_usd"),
  bad("0", { limit_usd: 0 }, "limit_usd"),
  bad("a negative limit", { limit_usd: -1 }, "limit_usd"),
  bad("more than a billion", { limit_usd: 1e9 + 1 }, "limit_usd"),
  bad("ten decimals", { limit_usd: 0.0000000001 }, "limit_usd"),
  bad("a limit in words", { limit_usd: "5" }, "limit_usd"),
  ...intervalCases("putWorkspaceBudget"),
  ...workspaceCases("putWorkspaceBudget", { params: at("daily"), body: { limit_usd: 1 } }),
  storeGone("WorkspaceBudgets", 500, (world) => put(world, "daily", 1)),
  outcomeUnknown("WorkspaceBudgets", (world) => put(world, "daily", 1))
]

export const workspaceBudgetCases: readonly CasesOf[] = [
  { operation: "putWorkspaceBudget", cases: putting },
  {
    operation: "getWorkspaceBudget",
    cases: [
      {
        name: "as it was set",
        status: 200,
        run: async (world) => {
          const made = await put(world, "lifetime", 7, { include_byok_in_budgets: true })
          const read = await world.call("getWorkspaceBudget", { params: at("lifetime", world.workspace_id) })
          assert.deepEqual(read.json, made.json)
          return read
        }
      },
      {
        name: "of an interval that has none",
        status: 404,
        run: async (world) => {
          await put(world, "daily", 5)
          return world.call("getWorkspaceBudget", { params: at("weekly") })
        }
      },
      ...intervalCases("getWorkspaceBudget"),
      ...workspaceCases("getWorkspaceBudget", { params: at("daily") }),
      storeGone("WorkspaceBudgets", 500, (world) => world.call("getWorkspaceBudget", { params: at("daily") }))
    ]
  },
  {
    operation: "listWorkspaceBudgets",
    cases: [
      {
        name: "none",
        status: 200,
        run: (world) => world.call("listWorkspaceBudgets", { params: { id: "default" } }),
        check: ({ json }) => assert.deepEqual(json, { data: [], include_byok_in_budgets: false })
      },
      {
        name: "of this workspace alone, from the shortest interval",
        status: 200,
        run: async (world) => {
          await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
          await world.call("putWorkspaceBudget", { params: at("weekly", "second"), body: { limit_usd: 1 } })
          await put(world, "lifetime", 9)
          await put(world, "daily", 5)
          return world.call("listWorkspaceBudgets", { params: { id: world.workspace_id } })
        },
        check: async (_, world) =>
          assert.deepEqual(await limits(world), [
            ["daily", 5],
            [null, 9]
          ])
      },
      ...workspaceCases("listWorkspaceBudgets"),
      storeGone("WorkspaceBudgets", 500, (world) => world.call("listWorkspaceBudgets", { params: { id: "default" } }))
    ]
  },
  {
    operation: "deleteWorkspaceBudget",
    cases: [
      {
        name: "gone, and it makes no difference that it is",
        status: 200,
        run: async (world) => {
          await put(world, "daily", 5)
          await put(world, "weekly", 6)
          const answer = await world.call("deleteWorkspaceBudget", { params: at("weekly") })
          assert.deepEqual(await limits(world), [["daily", 5]])
          const again = await world.call("deleteWorkspaceBudget", { params: at("weekly") })
          assert.deepEqual(again.json, answer.json)
          return answer
        },
        check: ({ json }) => assert.deepEqual(json, { deleted: true })
      },
      ...intervalCases("deleteWorkspaceBudget"),
      ...workspaceCases("deleteWorkspaceBudget", { params: at("daily") }),
      storeGone("WorkspaceBudgets", 500, (world) => world.call("deleteWorkspaceBudget", { params: at("daily") })),
      outcomeUnknown("WorkspaceBudgets", (world) => world.call("deleteWorkspaceBudget", { params: at("daily") }))
    ]
  }
]
