import { contextOfBodies, sealChanges, Vault, DeliveryQueue } from "@gatewarden/core/internal"
import { assert } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { absentCases, nobody } from "../http/nounCases.ts"
import type { Answer, World } from "../World.ts"
import { restrictedKey } from "../destination/updateDestination/withoutPrompts.ts"
import { deadBodies, letDie, newUnreachable, withDeadLetter } from "./letDie.ts"
import { readableStream } from "./readableStream.ts"

const everything = { until: "2100-01-01T00:00:00Z" }

const replay = (world: World, id: string, body: unknown = everything): Promise<Answer> =>
  world.call("replayDeadLetters", { params: { id }, body })

/** The events that wait for the destination, with their bodies. */
const waitingOf = (world: World, destination_id: string) =>
  world.installation.run(
    Effect.gen(function* () {
      yield* readableStream
      const queue = yield* DeliveryQueue
      const turn = (yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 0)).find(
        (one) => one.destination_id === destination_id
      )
      if (turn === undefined) return []
      const { events } = Option.getOrThrow(yield* queue.read(turn, null, { events: 100, bytes: 1_000_000 }))
      const vault = yield* Vault
      return yield* Effect.forEach(events, ({ event, sealed_bodies }) => {
        const place = contextOfBodies(turn.account_id, turn.workspace_id, event.id)
        return Effect.map(Effect.orDie(vault.open(sealed_bodies ?? new Uint8Array(), place)), (text) => ({
          id: event.id,
          bodies: JSON.parse(Redacted.value(text)) as unknown
        }))
      })
    })
  )

export const replayDeadLetters: CasesOf = {
  operation: "replayDeadLetters",
  cases: [
    {
      name: "by ids: once, with their bodies",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a", "b", "c"])
        const answer = await replay(world, id, { event_ids: ["c", "gone", "a"] })
        assert.deepEqual(answer.json, { data: { replayed: 2, remaining: 1 } })
        const again = await replay(world, id, { event_ids: ["c", "a"] })
        assert.deepEqual(again.json, { data: { replayed: 0, remaining: 1 } })
        const waiting = await waitingOf(world, id)
        assert.deepEqual(
          new Map(waiting.map((one) => [one.id, one.bodies])),
          new Map([
            ["a", deadBodies],
            ["c", deadBodies]
          ])
        )
        const left = await world.call("listDeadLetters", { params: { id } })
        assert.deepEqual(
          left.json.data.map(({ event_id }: { event_id: string }) => event_id),
          ["b"]
        )
        return answer
      }
    },
    {
      name: "all that died until an instant, the oldest first",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        const ids = Array.from({ length: 25 }, (_, index) => `e${String(index).padStart(2, "0")}`)
        await letDie(world, id, ids)
        const until = new Date(world.installation.clock.now).toISOString()
        world.installation.clock.now += 1_000
        await letDie(world, id, ["later"])
        assert.deepEqual((await replay(world, id, { until: "2020-01-01T00:00:00Z" })).json.data.replayed, 0)
        const answer = await replay(world, id, { until })
        assert.deepEqual(answer.json, { data: { replayed: 25, remaining: 1 } })
        assert.deepEqual(
          (await waitingOf(world, id)).map((one) => one.id),
          ids
        )
        return answer
      }
    },
    {
      name: "at the same time: each event once",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a", "b", "c"])
        const answers = await Promise.all([replay(world, id), replay(world, id), replay(world, id)])
        assert.strictEqual(
          answers.reduce((sum, { json }) => sum + json.data.replayed, 0),
          3
        )
        assert.lengthOf(await waitingOf(world, id), 3)
        return answers[0] ?? assert.fail()
      }
    },
    {
      name: "by a restricted key: with prompts, or where no bodies are sent",
      status: 403,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a"])
        const own = { workspace_ids: [world.workspace_id] }
        const asks = async (restrictions: object) => {
          const key = await restrictedKey(world, restrictions)
          return world.call("replayDeadLetters", { key, params: { id }, body: everything })
        }
        assert.strictEqual((await asks(own)).status, 403)
        const answer = await asks({ resources: ["observability"] })
        assert.strictEqual((await world.call("listDeadLetters", { params: { id } })).json.total_count, 1)
        await world.call("updateDestination", { params: { id }, body: { privacy_mode: true } })
        assert.strictEqual((await asks(own)).status, 200)
        await world.call("updateDestination", { params: { id }, body: { privacy_mode: false } })
        assert.strictEqual((await asks({ ...own, resources: ["observability", "prompts"] })).status, 200)
        return answer
      },
      check: reasonIs("restricted_key")
    },
    {
      name: "is recorded in the audit log, each time",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a"])
        const answer = await replay(world, id)
        await world.installation.run(sealChanges(world.account_id))
        const log = await world.call("getAuditLog", { query: { operation: "replayDeadLetters" } })
        assert.deepEqual(
          log.json.data.map(
            ({
              entity,
              before,
              after
            }: {
              entity: string
              before: { replays: number }
              after: { replays: number }
            }) => [entity, before.replays, after.replays]
          ),
          [[id, 0, 1]]
        )
        return answer
      }
    },
    {
      name: "to a disabled destination, which would lose it",
      status: 409,
      run: async (world) => {
        const id = await newUnreachable(world)
        await letDie(world, id, ["a"])
        await world.call("updateDestination", { params: { id }, body: { enabled: false } })
        const answer = await replay(world, id)
        assert.strictEqual((await world.call("listDeadLetters", { params: { id } })).json.total_count, 1)
        return answer
      },
      check: reasonIs("destination_receives_nothing")
    },
    {
      name: "in a workspace that turned deliveries off",
      status: 409,
      run: async (world) => {
        const id = await newUnreachable(world)
        const body = { is_observability_broadcast_enabled: false }
        await world.call("updateWorkspace", { params: { id: world.workspace_id }, body })
        return replay(world, id)
      },
      check: reasonIs("destination_receives_nothing")
    },
    ...(
      [
        ["nothing named", {}, "event_ids"],
        ["both", { ...everything, event_ids: ["a"] }, "event_ids"],
        ["no ids", { event_ids: [] }, "event_ids"],
        ["too many ids", { event_ids: Array.from({ length: 1_001 }, (_, index) => `e${index}`) }, "event_ids"],
        ["a long id", { event_ids: ["x".repeat(129)] }, "event_ids.0"],
        ["no time", { until: "yesterday" }, "until"]
      ] as const
    ).map(([name, body, path]) => refused("replayDeadLetters", name, { params: { id: nobody }, body }, { path })),
    ...managementOnly("replayDeadLetters", () => ({ params: { id: nobody }, body: everything })),
    ...absentCases("replayDeadLetters", withDeadLetter, {
      body: everything,
      kept: async (other, id) => (await other.call("listDeadLetters", { params: { id } })).json
    }),
    storeGone("Destinations", 500, (world) => replay(world, nobody)),
    outcomeUnknown("DeadLetters", async (world) => {
      world.installation.faults.mend()
      const id = await newUnreachable(world)
      await letDie(world, id, ["a"])
      world.installation.faults.doubt("DeadLetters")
      return replay(world, id)
    })
  ]
}
