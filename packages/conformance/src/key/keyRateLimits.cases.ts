/** The cases of the two operations on the rate limits of a key. */
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { limitRates } from "../admission/admissionWorld.ts"
import { type CasesOf, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { keyCases } from "./keyCases.ts"

const none = { requests_per_minute: null, tokens_per_minute: null, parallel_requests: null }

const get = (world: World) => world.call("getKeyRateLimits", { params: { hash: world.normalKeyHash } })

const bad = (name: string, body: object, path: string) =>
  refused("putKeyRateLimits", name, { params: { hash: "0".repeat(64) }, body }, { path })

export const keyRateLimitCases: readonly CasesOf[] = [
  {
    operation: "getKeyRateLimits",
    cases: [
      {
        name: "none, at first",
        status: 200,
        run: get,
        check: ({ json }) => assert.deepEqual(json, { data: none })
      },
      {
        name: "as they were set, of this key alone",
        status: 200,
        run: async (world) => {
          const other = (await world.call("createKey", { body: { name: "Other" } })).json.data
          const made = await limitRates(world, { tokens_per_minute: 1_000_000_000 })
          const unlimited = await world.call("getKeyRateLimits", { params: { hash: other.hash } })
          assert.deepEqual(unlimited.json.data, none)
          const read = await get(world)
          assert.deepEqual(read.json, made.json)
          return read
        }
      },
      ...keyCases("getKeyRateLimits"),
      storeGone("PolicySources", 500, get)
    ]
  },
  {
    operation: "putKeyRateLimits",
    cases: [
      {
        name: "absent stays, null clears",
        status: 200,
        run: async (world) => {
          const first = await limitRates(world, { requests_per_minute: 60, parallel_requests: 1 })
          assert.deepEqual(first.json.data, { ...none, requests_per_minute: 60, parallel_requests: 1 })
          const second = await limitRates(world, { tokens_per_minute: 5000, parallel_requests: null })
          assert.deepEqual(second.json.data, { ...none, requests_per_minute: 60, tokens_per_minute: 5000 })
          const same = await limitRates(world, {})
          assert.deepEqual(same.json.data, second.json.data)
          return limitRates(world, none)
        },
        check: async ({ json }, world) => {
          assert.deepEqual(json, { data: none })
          assert.deepEqual((await get(world)).json, { data: none })
        }
      },
      bad("0", { requests_per_minute: 0 }, "requests_per_minute"),
      bad("more than a billion", { tokens_per_minute: 1_000_000_001 }, "tokens_per_minute"),
      bad("a fraction", { parallel_requests: 1.5 }, "parallel_requests"),
      bad("a number in words", { parallel_requests: "1" }, "parallel_requests"),
      ...keyCases("putKeyRateLimits", { body: { requests_per_minute: 1 } }),
      storeGone("PolicySources", 500, (world) => limitRates(world, { requests_per_minute: 1 })),
      outcomeUnknown("PolicySources", (world) => limitRates(world, { requests_per_minute: 1 }))
    ]
  }
]
