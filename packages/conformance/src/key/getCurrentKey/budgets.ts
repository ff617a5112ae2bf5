/** The budgets that a key spends from, as the key reads them. Rule: access#budgets-of-a-key. */
import { assert } from "@effect/vitest"
import type { KeyBudget } from "@gatewarden/contract/internal"
import { ask, openMarket, report, restrict } from "../../admission/admissionWorld.ts"
import { type Case, storeGone } from "../../http/Case.ts"
import type { Answer, World } from "../../World.ts"
import { newKey, spend, toMidMonth } from "./spending.ts"

const day = 86_400_000

type Fields = Readonly<Record<string, unknown>>

const newGuardrail = async (world: World, fields: Fields): Promise<string> =>
  (await world.call("createGuardrail", { body: { name: "Budget", ...fields } })).json.data.id

const assignKey = (world: World, id: string, hash: string) =>
  world.call("assignKeys", { params: { id }, body: { key_hashes: [hash] } })

const assignMember = (world: World, id: string) =>
  world.call("assignMembers", { params: { id }, body: { member_user_ids: ["user-1"] } })

/** Sets a budget of the whole workspace; answers its id. */
const limitWorkspace = async (world: World, interval: string, body: Fields): Promise<string> => {
  const params = { id: world.workspace_id, interval }
  return (await world.call("putWorkspaceBudget", { params, body })).json.data.id
}

const budgetsOf = (answer: Answer): readonly KeyBudget[] => answer.json.data.budgets

const read = async (world: World, key: string): Promise<Answer> => world.call("getCurrentKey", { key })

/** The first budget of a key. */
const first = async (world: World, key: string): Promise<Partial<KeyBudget>> =>
  budgetsOf(await read(world, key))[0] ?? {}

const startOf = (millis: number): string => new Date(millis).toISOString()

export const budgets: readonly Case[] = [
  {
    name: "a budget of each scope, in the order in which they are enforced, and the one with the least left",
    status: 200,
    run: async (world) => {
      const now = toMidMonth(world)
      const { key, data } = await newKey(world, { limit: 9, creator_user_id: "user-1" })
      await restrict(world, { limit_usd: 6, reset_interval: "daily" })
      const member = await newGuardrail(world, { limit_usd: 7, reset_interval: "weekly" })
      await assignMember(world, member)
      const own = await newGuardrail(world, { limit_usd: 8, reset_interval: "monthly" })
      await assignKey(world, own, data.hash)
      const monthly = await limitWorkspace(world, "monthly", { limit_usd: 30 })
      const daily = await limitWorkspace(world, "daily", { limit_usd: 20 })
      // Another key of the same user spends from the budgets that are the user's or the workspace's.
      await spend(world, world.normalKeyHash, [{ at: now, cost_usd: "1", byok_cost_usd: "0" }])
      await spend(world, data.hash, [{ at: now, cost_usd: "0.25", byok_cost_usd: "0" }])
      const answer = await read(world, key)
      const today = now - day / 2
      const date = new Date(now)
      const ends = {
        daily: startOf(today + day),
        weekly: startOf(today + 5 * day),
        monthly: startOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1))
      }
      const row = (
        scope: string,
        limit_usd: number,
        spend_usd: number,
        reset_interval: keyof typeof ends | null,
        ids: Fields = {}
      ) => ({
        scope,
        budget_id: null,
        guardrail_id: null,
        include_byok: false,
        limit_usd,
        spend_usd,
        held_usd: 0,
        remaining_usd: limit_usd - spend_usd,
        reset_interval,
        resets_at: reset_interval === null ? null : ends[reset_interval],
        ...ids
      })
      const ofDefault = { guardrail_id: world.default_guardrail_id }
      const expected = [
        row("workspace_default_member", 6, 1.25, "daily", ofDefault),
        row("workspace_default_key", 6, 0.25, "daily", ofDefault),
        row("member", 7, 1.25, "weekly", { guardrail_id: member }),
        row("api_key", 8, 0.25, "monthly", { guardrail_id: own }),
        row("workspace", 20, 1.25, "daily", { budget_id: daily }),
        row("workspace", 30, 1.25, "monthly", { budget_id: monthly }),
        row("key_limit", 9, 0.25, null)
      ]
      assert.deepEqual(budgetsOf(answer), expected as readonly KeyBudget[])
      assert.deepEqual(answer.json.data.effective_budget, expected[0])
      return answer
    }
  },
  {
    name: "a key without a user has no budget of a member, and of equal budgets the first is the effective one",
    status: 200,
    run: async (world) => {
      const { key } = await newKey(world, { limit: 2 })
      await restrict(world, { limit_usd: 2, reset_interval: "daily" })
      return read(world, key)
    },
    check: (answer) => {
      assert.deepEqual(
        budgetsOf(answer).map(({ scope }) => scope),
        ["workspace_default_key", "key_limit"]
      )
      assert.strictEqual(answer.json.data.effective_budget.scope, "workspace_default_key")
    }
  },
  {
    name: "what open admissions hold is not left; a settlement spends it, and a cancelled admission gives it back",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const { key, data } = await newKey(world, { limit: 10 })
      await restrict(world, { limit_usd: 9.5, reset_interval: "daily" })
      const hold = async (): Promise<string> =>
        (await ask(world, { model, api_key_hash: data.hash, max_cost_usd: "1.000000001" })).json.data.id
      const id = await hold()
      const held = { limit_usd: 9.5, spend_usd: 0, held_usd: 1.000000001, remaining_usd: 8.499999999 }
      assert.deepInclude(await first(world, key), held)
      await world.call("settleAdmission", { params: { id }, body: report(world, "0.000000003", { model }) })
      const settled = { spend_usd: 0.000000003, held_usd: 0, remaining_usd: 9.499999997 }
      assert.deepInclude(await first(world, key), settled)
      const cancelled = await hold()
      await world.call("cancelAdmission", { params: { id: cancelled } })
      assert.deepInclude(await first(world, key), settled)
      await hold()
      world.installation.clock.now += 600_000
      return read(world, key)
    },
    check: (answer) => {
      // The last hold has expired.
      const left = { spend_usd: 0.000000003, held_usd: 0 }
      const [ofGuardrail, ofKey] = budgetsOf(answer)
      assert.deepInclude(ofGuardrail, { ...left, remaining_usd: 9.499999997 })
      assert.deepInclude(ofKey, { ...left, remaining_usd: 9.999999997 })
      assert.deepEqual(answer.json.data.effective_budget, ofGuardrail)
      assert.strictEqual(answer.json.data.limit_remaining, ofKey?.remaining_usd)
    }
  },
  {
    name: "a hold can make another budget the effective one",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const { key, data } = await newKey(world, { limit: 5 })
      await limitWorkspace(world, "lifetime", { limit_usd: 6 })
      assert.strictEqual((await read(world, key)).json.data.effective_budget.scope, "key_limit")
      await ask(world, { model, max_cost_usd: "2" })
      assert.notStrictEqual(data.hash, world.normalKeyHash)
      return read(world, key)
    },
    check: ({ json: { data } }) =>
      assert.deepInclude(data.effective_budget, {
        scope: "workspace",
        reset_interval: null,
        resets_at: null,
        held_usd: 2,
        remaining_usd: 4
      })
  },
  {
    name: "BYOK spending counts where the budget includes it",
    status: 200,
    run: async (world) => {
      const now = toMidMonth(world)
      const { key, data } = await newKey(world, { limit: 100, include_byok_in_limit: true })
      const own = await newGuardrail(world, { limit_usd: 50, reset_interval: "monthly", include_byok_in_budgets: true })
      await assignKey(world, own, data.hash)
      await restrict(world, { limit_usd: 40, reset_interval: "daily" })
      await limitWorkspace(world, "daily", { limit_usd: 60, include_byok_in_budgets: true })
      await spend(world, data.hash, [{ at: now, cost_usd: "1", byok_cost_usd: "8" }])
      return read(world, key)
    },
    check: (answer) =>
      assert.deepEqual(
        budgetsOf(answer).map(({ scope, include_byok, spend_usd, remaining_usd }) => [
          scope,
          include_byok,
          spend_usd,
          remaining_usd
        ]),
        [
          ["workspace_default_key", false, 1, 39],
          ["api_key", true, 9, 41],
          ["workspace", true, 9, 51],
          ["key_limit", true, 9, 91]
        ]
      )
  },
  {
    name: "an overdrawn budget has less than nothing left, until its window ends",
    status: 200,
    run: async (world) => {
      const now = toMidMonth(world)
      const { key, data } = await newKey(world, { limit: 1, limit_reset: "daily" })
      await spend(world, data.hash, [{ at: now, cost_usd: "1.5", byok_cost_usd: "0" }])
      const midnight = now + day / 2
      const overdrawn = { spend_usd: 1.5, remaining_usd: -0.5, resets_at: startOf(midnight) }
      assert.deepInclude(await first(world, key), overdrawn)
      world.installation.clock.now = midnight - 1
      assert.deepInclude(await first(world, key), overdrawn)
      world.installation.clock.now = midnight
      const answer = await read(world, key)
      const reset = { spend_usd: 0, remaining_usd: 1, resets_at: startOf(midnight + day) }
      assert.deepInclude(answer.json.data.effective_budget, reset)
      return answer
    }
  },
  {
    name: "the budgets of another account and of another workspace are not the key's",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      await restrict(other, { limit_usd: 1, reset_interval: "daily" })
      await limitWorkspace(other, "daily", { limit_usd: 1 })
      const workspace = await world.call("createWorkspace", { body: { name: "Other", slug: "other-budgets" } })
      const params = { id: workspace.json.data.id, interval: "daily" }
      await world.call("putWorkspaceBudget", { params, body: { limit_usd: 1 } })
      return read(world, world.normalKey)
    },
    check: ({ json: { data } }) => assert.deepInclude(data, { budgets: [], effective_budget: null })
  },
  storeGone("BudgetLedger", 500, async (world) => {
    const { key } = await newKey(world, { limit: 1 })
    return read(world, key)
  })
]
