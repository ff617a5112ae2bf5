/** What the operations of a noun promise whose things lie in a workspace and are named by an id in the path. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { type Case, reasonIs } from "./Case.ts"

export const nobody = "00000000-0000-4000-8000-000000000000"

interface Absent {
  /** The body of the request, if the operation has one. */
  readonly body?: unknown
  /** What the request must leave in another account as it is. */
  readonly kept?: (other: World, id: string) => Promise<unknown>
}

/** 404 for what is not there, what is malformed, and what another account has, alike but for the request id. `make` answers an id. */
export const absentCases = (
  operation: OperationId,
  make: (world: World) => Promise<string>,
  { body, kept = async () => undefined }: Absent = {}
): readonly Case[] => {
  const call = (world: World, id: string) =>
    world.call(operation, {
      params: { id },
      headers: { "x-request-id": "same" },
      ...(body === undefined ? {} : { body })
    })
  return [
    { name: "unknown", status: 404, run: (world) => call(world, nobody) },
    { name: "malformed", status: 404, run: (world) => call(world, "x") },
    {
      name: "of another account, which keeps it; alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const id = await make(other)
        const before = await kept(other, id)
        const hidden = await call(world, id)
        assert.strictEqual(hidden.text, (await call(world, nobody)).text)
        assert.deepEqual(await kept(other, id), before)
        return hidden
      }
    }
  ]
}

/** An operation that calls an address of the account's choice is limited, whatever it is asked to test. Rule: requests#rate-limits. */
export const tenInAnyMinute = (operation: OperationId): Case => ({
  name: "10 in any minute",
  status: 429,
  run: async (world) => {
    const test = () => world.call(operation, { params: { id: nobody } })
    for (let count = 0; count < 10; count++) assert.strictEqual((await test()).status, 404)
    return test()
  },
  check: reasonIs("rate_limited")
})

interface NounCases {
  readonly create: OperationId
  readonly list: OperationId
  readonly get: OperationId
  readonly update: OperationId
  readonly remove: OperationId
  /** A body that `create` accepts. */
  readonly body: object
  /** What an update answers beside `data`. */
  readonly beside?: object
  /** A new thing of a world as it is printed, with these fields in its body. */
  readonly make: (world: World, fields?: object) => Promise<{ readonly id: string }>
}

export const nounCases = ({ create, list, get, update, remove, body, beside = {}, make }: NounCases) => {
  const read = async (world: World, id: string) => (await world.call(get, { params: { id } })).json.data
  return {
    absent: (operation: OperationId, sent?: object): readonly Case[] =>
      absentCases(operation, async (world) => (await make(world)).id, { body: sent, kept: read }),

    inCapitals: {
      name: "in capitals, too",
      status: 200,
      run: async (world) => {
        const data = await make(world)
        const answer = await world.call(get, { params: { id: data.id.toUpperCase() } })
        assert.deepEqual(answer.json, { data })
        return answer
      }
    } satisfies Case,

    tooMany: (most: number): Case => ({
      name: "more than a workspace may have",
      status: 400,
      run: async (world) => {
        for (let count = 0; count < most; count++) await make(world)
        return world.call(create, { body })
      },
      check: reasonIs("quota_exceeded")
    }),

    /** Exactly what is expected changes. */
    changed: (name: string, before: object, sent: object, expected: object): Case => ({
      name,
      status: 200,
      run: async (world) => {
        const data = await make(world, before)
        world.installation.clock.now += 1000
        const answer = await world.call(update, { params: { id: data.id }, body: sent })
        const moved = Object.keys(expected).length === 0 ? {} : { updated_at: nowIn(world) }
        assert.deepEqual(answer.json, { data: { ...data, ...expected, ...moved }, ...beside })
        assert.deepEqual(await read(world, data.id), answer.json.data)
        return answer
      }
    }),

    /** Refused with an issue at `path`, and nothing changes. */
    unchanged: (name: string, before: object, sent: object, path: string, reason?: string): Case => ({
      name,
      status: 400,
      run: async (world) => {
        const data = await make(world, before)
        const answer = await world.call(update, { params: { id: data.id }, body: sent })
        assert.deepEqual(await read(world, data.id), data)
        return answer
      },
      check: ({ json }) => {
        assert.strictEqual(json.error.metadata.issues[0].path, path)
        if (reason !== undefined) assert.strictEqual(json.error.metadata.reason, reason)
      }
    }),

    goneAlone: {
      name: "gone, and no other",
      status: 200,
      run: async (world) => {
        const [data, other] = [await make(world), await make(world)]
        const answer = await world.call(remove, { params: { id: data.id } })
        assert.strictEqual((await world.call(remove, { params: { id: data.id } })).status, 404)
        assert.deepEqual((await world.call(list)).json, { data: [other], total_count: 1 })
        return answer
      }
    } satisfies Case
  }
}
