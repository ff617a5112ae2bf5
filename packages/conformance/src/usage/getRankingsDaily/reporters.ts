/**
 * Who counts: what the operator's side recorded, and nothing that another account reports of itself
 * (Rule: usage#public-statistics).
 */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import { openMarket, ask, report } from "../../admission/admissionWorld.ts"
import type { Case } from "../../http/Case.ts"
import { own, rank, scene } from "./scene.ts"

const day = "2026-03-02"
const window = { start_date: day, end_date: day }

/** Usage events as another account's own management key sends them. */
const selfReported = (world: World, ...events: readonly object[]) =>
  world.call("recordUsageEvents", {
    body: {
      events: events.map((fields) => ({
        id: crypto.randomUUID(),
        created_at: `${day}T12:00:00Z`,
        provider: "acme",
        prompt_tokens: Number.MAX_SAFE_INTEGER,
        completion_tokens: 0,
        cost_usd: "0",
        ...fields
      }))
    },
    key: world.managementKey
  })

export const reporters: readonly Case[] = [
  {
    name: "what another account reports of itself ranks nowhere, before and after days are summed",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const author = await scene(world, ["m", "idle"], [[day, "m", 100]])
      const before = await rank(world, window)
      world.installation.clock.now += 1_000
      for (const slug of ["m", "idle"])
        assert.strictEqual((await selfReported(other, { model: `${author}/${slug}` })).status, 200)
      const expected = [[day, "m", "100"]]
      // Twice, as the first may have summed the day for the second.
      for (let time = 0; time < 2; time++) {
        const after = await rank(world, window)
        assert.deepEqual<unknown>(own(after, author), expected)
        assert.strictEqual(after.json.meta.as_of, before.json.meta.as_of)
      }
      const filtered = await rank(world, { ...window, modality: "text" })
      assert.deepEqual<unknown>(own(filtered, author), expected)
      // It counts where it belongs.
      const analytics = await other.call("queryAnalytics", { body: { metrics: ["tokens_prompt"] } })
      assert.deepEqual(analytics.json.data.data, [{ tokens_prompt: "18014398509481982" }])
      await selfReported(other, { model: `${author}/m`, prompt_tokens: 5 })
      return rank(world, window)
    },
    check: (answer) => assert.notInclude(answer.text, String(Number.MAX_SAFE_INTEGER))
  },
  {
    name: "a settlement ranks when the operator's side settles, and not when another account does",
    status: 200,
    run: async (world) => {
      const { sonnet } = await openMarket(world)
      const settled = async (key: string, prompt_tokens: number) => {
        const { json } = await ask(world, { model: sonnet }, key)
        const fields = { model: sonnet, prompt_tokens, completion_tokens: 0 }
        const answer = await world.call("settleAdmission", {
          params: { id: json.data.id },
          body: report(world, "0", fields),
          key
        })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      await settled(world.managementKey, 1_000_000)
      await settled(world.gatewayKey, 7)
      const today = new Date(world.installation.clock.now).toISOString().slice(0, 10)
      world.installation.clock.now += 86_400_000
      const answer = await rank(world, { start_date: today, end_date: today })
      const [author = ""] = sonnet.split("/")
      assert.deepEqual(own(answer, author), [[today, "sonnet", "7"]])
      return answer
    }
  }
]
