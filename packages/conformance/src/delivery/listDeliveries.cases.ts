import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { boundsCases } from "../http/listCases.ts"
import { absentCases, nobody } from "../http/nounCases.ts"
import type { World } from "../World.ts"
import { letDie, newUnreachable, withDeadLetter } from "./letDie.ts"

const list = (world: World, id: string) => world.call("listDeliveries", { params: { id } })

const idle = {
  state: "ok",
  refusing_since: null,
  circuit: "closed",
  waiting: 0,
  oldest_waiting_at: null,
  failures: 0,
  failing_since: null,
  next_attempt_at: null,
  last_attempt_at: null,
  last_delivered_at: null,
  receives_since: null,
  delivered: 0,
  dead: 0
}

export const listDeliveries: CasesOf = {
  operation: "listDeliveries",
  cases: [
    {
      name: "what became of each batch, the latest first",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a", "b"])
        const first = new Date(world.installation.clock.now).toISOString()
        world.installation.clock.now += 1_000
        await letDie(world, id, ["c"])
        const last = new Date(world.installation.clock.now).toISOString()
        const answer = await list(world, id.toUpperCase())
        const refused = { outcome: "refused", accepted: 0, rejected_spans: 0, duration_ms: 12, status: 400 }
        const message = "The platform answered 400."
        assert.deepEqual(answer.json, {
          data: [
            { ...refused, number: 2, ended_at: last, events: 1, refused: 1, message },
            { ...refused, number: 1, ended_at: first, events: 2, refused: 2, message }
          ],
          total_count: 2,
          status: { ...idle, state: "refusing", refusing_since: first, last_attempt_at: last, dead: 3 }
        })
        const page = await world.call("listDeliveries", { params: { id }, query: { limit: "1", offset: "1" } })
        assert.deepEqual(page.json.data, [answer.json.data[1]])
        assert.strictEqual(page.json.total_count, 2)
        return answer
      }
    },
    {
      name: "only attempts with the outcome that is asked for",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a"])
        const of = async (outcome: string) =>
          (await world.call("listDeliveries", { params: { id }, query: { outcome } })).json
        assert.deepEqual(await of("refused"), (await list(world, id)).json)
        const { data, total_count, status } = await of("delivered")
        assert.deepEqual([data, total_count, status.dead], [[], 0, 1])
        return list(world, id)
      }
    },
    {
      name: "an outcome that there is not",
      status: 400,
      run: async (world) => {
        const id = await newUnreachable(world)
        return world.call("listDeliveries", { params: { id }, query: { outcome: "lost" } })
      },
      check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "query.outcome")
    },
    {
      name: "what waits, since when",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a", "b"])
        await world.call("replayDeadLetters", { params: { id }, body: { event_ids: ["a"] } })
        return list(world, id)
      },
      check: ({ json }, world) => {
        const now = new Date(world.installation.clock.now).toISOString()
        assert.deepInclude(json.status, { waiting: 1, oldest_waiting_at: now, dead: 2 })
      }
    },
    ...boundsCases(
      "listDeliveries",
      async (world) => ({ params: { id: await newUnreachable(world) } }),
      ({ json }) => assert.deepEqual(json, { data: [], total_count: 0, status: idle })
    ),
    ...managementOnly("listDeliveries", () => ({ params: { id: nobody } })),
    ...absentCases("listDeliveries", withDeadLetter),
    storeGone("Destinations", 500, (world) => list(world, nobody))
  ]
}
