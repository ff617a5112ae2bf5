/** What counts, and counts once: in a request, over requests, under an `Idempotency-Key`. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../../World.ts"
import { ask, openMarket, report } from "../../admission/admissionWorld.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { withoutDefault } from "../../http/withoutDefault.ts"
import { counted, leavesNothing, line, lines, record, shown } from "./scene.ts"

const all = (world: World, count: number) =>
  record(world, ...Array.from({ length: count }, (_, index) => ({ id: `e${index}` })))

const idempotent = { "idempotency-key": "import-1" }

const repeated =
  (first: (world: World) => Promise<Answer>, second: (world: World) => Promise<Answer>): Case["run"] =>
  async (world) => {
    assert.strictEqual((await first(world)).status, 200)
    return second(world)
  }

export const once: readonly Case[] = [
  { name: "one event", status: 200, run: (world) => record(world, {}), check: counted(1, 0) },
  { name: "none", status: 200, run: (world) => record(world), check: counted(0, 0) },
  {
    name: "the first of an id wins within a request",
    status: 200,
    run: (world) => record(world, { prompt_tokens: 7 }, { prompt_tokens: 9 }),
    check: async (answer, world) => {
      await counted(1, 1)(answer, world)
      assert.deepEqual(await shown(world, ["tokens_prompt"]), [{ tokens_prompt: 7 }])
    }
  },
  {
    name: "a repetition is a duplicate whatever it says",
    status: 200,
    run: repeated(
      (world) => record(world, { prompt_tokens: 7 }),
      (world) => record(world, { prompt_tokens: 9, model: "other/model" }, { id: "event-2", prompt_tokens: 1 })
    ),
    check: async (answer, world) => {
      await counted(1, 1)(answer, world)
      assert.deepEqual(await shown(world, ["tokens_prompt"]), [{ tokens_prompt: 8 }])
    }
  },
  {
    name: "not under the id of what the operator's data plane admitted",
    status: 400,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const { id } = (await ask(world, { model }, world.gatewayKey)).json.data
      return record(world, {}, { id, cost_usd: "0" })
    },
    check: async (answer, world) => {
      const [issue] = answer.json.error.metadata.issues
      assert.deepInclude(issue, { path: "events.1.id", code: "operator_required" })
      await leavesNothing(answer, world)
    }
  },
  {
    name: "under the id of what the operator's data plane admitted once that has settled it, and of an own admission",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const admit = async (key?: string) => (await ask(world, { model }, key)).json.data.id
      const [id, own] = [await admit(world.gatewayKey), await admit()]
      const settled = { params: { id }, body: report(world, "0.5", { model }), key: world.gatewayKey }
      assert.strictEqual((await world.call("settleAdmission", settled)).status, 200)
      return record(world, { id, cost_usd: "0" }, { id: own, cost_usd: "0.25" })
    },
    check: counted(1, 1)
  },
  {
    name: "ids are an account's own",
    status: 200,
    run: async (world) => {
      await record(await world.other(), {})
      return record(world, {})
    },
    check: counted(1, 0)
  },
  {
    name: "10,000 events",
    status: 200,
    run: (world) => all(world, 10_000),
    check: async (answer, world) => {
      await counted(10_000, 0)(answer, world)
      assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 10_000 }])
    }
  },
  { name: "10,001 events", status: 400, run: (world) => all(world, 10_001), check: leavesNothing },
  {
    name: "all or nothing",
    status: 400,
    run: (world) => record(world, {}, { id: "event-2", prompt_tokens: -1 }),
    check: leavesNothing
  },
  {
    name: "a repetition is a duplicate though its workspace is gone and its instant lies ahead",
    status: 200,
    run: async (world) => {
      await record(world, {})
      await withoutDefault(world)
      return record(world, {}, { created_at: "2999-01-01T00:00:00Z" })
    },
    check: counted(0, 2)
  },
  {
    name: "a repetition in lines, beside something new",
    status: 200,
    run: async (world) => {
      await record(world, { id: "first" })
      const gone = "00000000-0000-4000-8000-000000000000"
      return lines(
        world,
        [
          line({ id: "second" }),
          line({ id: "first", workspace_id: gone }),
          line({ id: "second", workspace_id: gone })
        ].join("")
      )
    },
    check: counted(1, 2)
  },
  {
    name: "a repetition under the same Idempotency-Key",
    status: 200,
    run: repeated(
      (world) => lines(world, line(), idempotent),
      (world) => lines(world, line(), idempotent)
    ),
    check: async (answer, world) => {
      await counted(1, 0)(answer, world)
      assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
    }
  },
  {
    name: "other lines under the same Idempotency-Key",
    status: 400,
    run: repeated(
      (world) => lines(world, line(), idempotent),
      (world) => lines(world, line() + line({ id: "event-2" }), idempotent)
    ),
    check: reasonIs("idempotency_key_reused")
  },
  ...[
    ["the first", line({ id: "event-3" }) + line({ id: "event-2" })],
    ["the last", line() + line({ id: "event-3" })]
  ].map(([which, others = ""]): Case => ({
    name: `as many lines of the same length under the same Idempotency-Key, of which ${which} is another`,
    status: 400,
    run: repeated(
      (world) => lines(world, line() + line({ id: "event-2" }), idempotent),
      (world) => lines(world, others, idempotent)
    ),
    check: reasonIs("idempotency_key_reused")
  }))
]
