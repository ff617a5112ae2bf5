/**
 * `GET /key`, `GET /keys` and the ledger count a settled event in the same windows: those in which its money was held, whenever the
 * event says that it was made. Source: docs/decisions/0003-decisions-and-money.md.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { BudgetLedger } from "@gatewarden/core/store"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pricedModel } from "@gatewarden/conformance/internal/admission/admissionBounds"
import { ask, report } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { everyStore } from "@gatewarden/testkit/stores/stores"
import type { World } from "@gatewarden/conformance/internal/World"

const day = 86_400_000
/** A minute before midnight, in the middle of a week and of a month. */
const evening = Date.parse("2026-03-04T23:59:00.000Z")

for (const [title, store] of everyStore)
  describe(`what is left of a key's limit on ${title}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store, door: fetchDoor })
    })
    afterAll(() => installation.stop())
    beforeEach(() => {
      installation.clock.now = evening
    })

    const make = async () => {
      const world = await installation.newWorld()
      const model = await pricedModel(world, { prompt: "0", completion: "0.001" })
      const made = await world.call("createKey", { body: { name: "limited", limit: 10, limit_reset: "daily" } })
      return { world, model, key: made.json.key as string, hash: made.json.data.hash as string }
    }

    const admit = async (world: World, model: string, api_key_hash: string) => {
      const { data } = (await ask(world, { model, max_completion_tokens: 4_000, api_key_hash })).json
      assert.strictEqual(data.decision, "allow", JSON.stringify(data.reasons))
      return data.id as string
    }

    const settle = async (world: World, id: string, model: string, created_at: number) => {
      const body = report(world, "3", { model, provider: "acme", created_at: new Date(created_at).toISOString() })
      const answer = await world.call("settleAdmission", { params: { id }, body })
      assert.strictEqual(answer.status, 200, answer.text)
    }

    /** What both reads show and what the ledger has spent in the window of today, which are one. */
    const today = async (world: World, key: string, hash: string) => {
      const read = await world.call("getCurrentKey", { key })
      const listed = (await world.call("listKeys")).json.data.find((one: { hash: string }) => one.hash === hash)
      const [state] = await installation.run(
        Effect.flatMap(BudgetLedger, (port) =>
          port.states(world.account_id, world.workspace_id, [
            {
              scope: "key_limit",
              entity: hash,
              guardrail_id: null,
              interval: "daily",
              limit_nanos: 10_000_000_000n,
              include_byok: false
            }
          ])
        )
      )
      const { limit_remaining, usage, usage_daily, usage_weekly } = read.json.data
      assert.deepInclude(listed, { limit_remaining, usage, usage_daily, usage_weekly })
      assert.strictEqual(limit_remaining, 10 - Number(state?.spent_nanos) / 1e9)
      assert.strictEqual(usage_daily, 10 - limit_remaining)
      return { limit_remaining, usage, usage_weekly }
    }

    it("counts what open admissions hold, in the interval that the limit has", async () => {
      const { world, model, key, hash } = await make()
      const remaining = async () => {
        const one = (await world.call("getKey", { params: { hash } })).json.data.limit_remaining
        const own = (await world.call("getCurrentKey", { key })).json.data.limit_remaining
        const [listed] = (await world.call("listKeys")).json.data.filter((each: { hash: string }) => each.hash === hash)
        assert.deepEqual([own, listed.limit_remaining], [one, one])
        return one as number
      }
      const id = await admit(world, model, hash)
      assert.strictEqual(await remaining(), 6)
      const change = (body: object) => world.call("updateKey", { params: { hash }, body })
      assert.strictEqual((await change({ limit: 20, limit_reset: "weekly" })).json.data.limit_remaining, 16)
      const rotated = await world.call("rotateKey", { params: { hash } })
      assert.strictEqual(rotated.json.data.limit_remaining, 16)
      assert.strictEqual((await change({ limit: null })).json.data.limit_remaining, null)
      await change({ limit: 10, limit_reset: "daily" })
      await settle(world, id, model, evening)
      assert.strictEqual(await remaining(), 7)
      const abandoned = await admit(world, model, hash)
      assert.strictEqual(await remaining(), 3)
      await world.call("cancelAdmission", { params: { id: abandoned } })
      assert.strictEqual(await remaining(), 7)
    })

    it("counts in the window of the hold what says that it was made before", async () => {
      const { world, model, key, hash } = await make()
      const id = await admit(world, model, hash)
      await settle(world, id, model, evening - 9 * day)
      assert.deepEqual(await today(world, key, hash), { limit_remaining: 7, usage: 3, usage_weekly: 3 })
    })

    it("counts in the window of the hold what was settled after midnight", async () => {
      const { world, model, key, hash } = await make()
      const id = await admit(world, model, hash)
      installation.clock.now += 120_000
      await settle(world, id, model, installation.clock.now)
      assert.deepEqual(await today(world, key, hash), { limit_remaining: 10, usage: 3, usage_weekly: 3 })
    })

    it("counts tomorrow what is reported a little ahead of the clock", async () => {
      const { world, model, key, hash } = await make()
      const { event } = report(world, "3", { id: "ahead", model, provider: "acme", api_key_hash: hash })
      const created_at = new Date(evening + 120_000).toISOString()
      await world.call("recordUsageEvents", { body: { events: [{ ...event, created_at }] } })
      assert.deepEqual(await today(world, key, hash), { limit_remaining: 10, usage: 3, usage_weekly: 3 })
      installation.clock.now += 120_000
      assert.deepEqual(await today(world, key, hash), { limit_remaining: 7, usage: 3, usage_weekly: 3 })
    })
  })
