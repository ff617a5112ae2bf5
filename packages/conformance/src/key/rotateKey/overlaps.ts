/** Which secrets open a key, and until when. */
import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../../http/Case.ts"
import { sha256Hex } from "../../http/sha256.ts"
import { newSecret, opened, rotate } from "./rotations.ts"

const day = 86_400_000

export const overlaps: readonly Case[] = [
  {
    name: "a new secret of the same key; its hash and settings stay, its label is the new secret's",
    status: 200,
    run: (world) => rotate(world),
    check: async ({ json: { data, key } }, world) => {
      assert.match(key, /^gw-v1-[0-9A-Za-z]{49}$/)
      assert.notStrictEqual(await sha256Hex(key), data.hash)
      assert.deepInclude(data, { hash: world.normalKeyHash, workspace_id: world.workspace_id, disabled: false })
      assert.strictEqual(data.updated_at, new Date(world.installation.clock.now).toISOString())
      assert.deepEqual((await world.call("getKey", { params: { hash: data.hash } })).json.data, data)
      assert.strictEqual(data.label, `${key.slice(0, 9)}...${key.slice(-3)}`)
      for (const secret of [key, world.normalKey])
        assert.strictEqual((await world.call("getCurrentKey", { key: secret })).json.data.label, data.label)
    }
  },
  {
    name: "the former secret opens the key for a day, to the millisecond",
    status: 401,
    run: async (world) => {
      const { key } = (await rotate(world)).json
      world.installation.clock.now += day - 1
      assert.deepEqual(await opened(world, world.normalKey, key), [true, true])
      world.installation.clock.now += 1
      assert.deepEqual(await opened(world, world.normalKey, key), [false, true])
      return world.call("getCurrentKey", { key: world.normalKey })
    },
    check: (answer, world) => {
      reasonIs("revoked_api_key")(answer)
      const end = new Date(world.installation.clock.now).toISOString()
      assert.include(answer.json.error.metadata.issues[0].message, `ended at ${end}`)
    }
  },
  {
    name: "without an overlap the former secret ends at once",
    status: 200,
    run: (world) => rotate(world, { overlap_seconds: 0 }),
    check: async ({ json: { key } }, world) =>
      assert.deepEqual(await opened(world, world.normalKey, key), [false, true])
  },
  {
    name: "an overlap of 30 days",
    status: 200,
    run: (world) => rotate(world, { overlap_seconds: 2_592_000 }),
    check: async ({ json: { key } }, world) => {
      world.installation.clock.now += 30 * day - 1
      assert.deepEqual(await opened(world, world.normalKey, key), [true, true])
      world.installation.clock.now += 1
      assert.deepEqual(await opened(world, world.normalKey, key), [false, true])
    }
  },
  {
    name: "the overlap by the name of the public API, alone or equal beside ours",
    status: 200,
    run: async (world) => {
      const second = (await rotate(world, { revoke_previous_after_seconds: 60 })).json.key
      world.installation.clock.now += 59_999
      assert.deepEqual(await opened(world, world.normalKey, second), [true, true])
      world.installation.clock.now += 1
      assert.deepEqual(await opened(world, world.normalKey, second), [false, true])
      return rotate(world, { revoke_previous_after_seconds: 0, overlap_seconds: 0 })
    },
    check: async ({ json: { key } }, world) =>
      assert.deepEqual(await opened(world, world.normalKey, key), [false, true])
  },
  {
    name: "without an end, as the public API has it, the former secret opens the key until a later rotation ends it",
    status: 200,
    run: async (world) => {
      const answer = await rotate(world, { revoke_previous_after_seconds: null })
      assert.deepEqual(answer.json.predecessor, { hash: world.normalKeyHash, disabled: false, expires_at: null })
      world.installation.clock.now += 400 * day
      const second = (await rotate(world, { revoke_previous_after_seconds: null })).json.key
      world.installation.clock.now += 400 * day
      assert.deepEqual(await opened(world, world.normalKey, answer.json.key, second), [true, true, true])
      const third = await newSecret(world, 60)
      assert.deepEqual(await opened(world, world.normalKey, answer.json.key, second, third), [false, true, true, true])
      world.installation.clock.now += 60_000
      assert.deepEqual(await opened(world, answer.json.key, second, third), [false, false, true])
      return rotate(world, { revoke_previous_after_seconds: null })
    },
    check: async ({ json: { key } }, world) => {
      const answer = await rotate(world, { overlap_seconds: 0 })
      assert.deepEqual(await opened(world, key, answer.json.key), [false, true])
    }
  },
  {
    name: "what becomes of the former secret: ended at once, or at the end of the overlap or of the key",
    status: 200,
    run: async (world) => {
      const { now } = world.installation.clock
      const expires_at = new Date(now + 90_000).toISOString()
      const { hash } = (await world.call("createKey", { body: { name: "brief", expires_at } })).json.data
      for (const [overlap, disabled, end] of [
        [0, true, new Date(now).toISOString()],
        [60, false, new Date(now + 60_000).toISOString()],
        [91, false, expires_at],
        [null, false, expires_at]
      ] as const) {
        const { data, predecessor } = (await rotate(world, { revoke_previous_after_seconds: overlap }, hash)).json
        assert.deepEqual(predecessor, { hash, disabled, expires_at: end })
        assert.isNull(data.rotated_from_hash)
      }
      return rotate(world, {}, hash)
    }
  },
  {
    name: "two former secrets open the key; a third rotation ends the oldest",
    status: 200,
    run: async (world) => {
      const second = await newSecret(world, 60)
      const third = await newSecret(world, 60)
      assert.deepEqual(await opened(world, world.normalKey, second, third), [true, true, true])
      const answer = await rotate(world, { overlap_seconds: 60 })
      const fourth = answer.json.key
      assert.deepEqual(await opened(world, world.normalKey, second, third, fourth), [false, true, true, true])
      world.installation.clock.now += 60_000
      assert.deepEqual(await opened(world, world.normalKey, second, third, fourth), [false, false, false, true])
      return answer
    }
  },
  {
    name: "no former secret outlives a younger one, and none gets a later end than it has",
    status: 200,
    run: async (world) => {
      const second = await newSecret(world, 100)
      world.installation.clock.now += 1000
      const third = await newSecret(world, 10)
      assert.deepEqual(await opened(world, world.normalKey, second, third), [true, true, true])
      world.installation.clock.now += 5_000
      const fourth = await newSecret(world, 5_000)
      world.installation.clock.now += 5_000
      assert.deepEqual(await opened(world, world.normalKey, second, third, fourth), [false, false, true, true])
      return rotate(world, { overlap_seconds: 0 })
    },
    check: async ({ json }, world) => assert.deepEqual(await opened(world, world.normalKey, json.key), [false, true])
  },
  {
    name: "a secret that ended many rotations ago does not open the key again",
    status: 401,
    run: async (world) => {
      const second = await newSecret(world, 60)
      for (let time = 0; time < 101; time++) await newSecret(world, 0)
      assert.deepEqual(await opened(world, second), [false])
      return world.call("getCurrentKey", { key: world.normalKey })
    },
    check: reasonIs("revoked_api_key")
  },
  {
    name: "all secrets end with a disabled key, and those that are left open it when it is enabled again",
    status: 200,
    run: async (world) => {
      const params = { hash: world.normalKeyHash }
      const second = await newSecret(world, 60)
      await world.call("updateKey", { params, body: { disabled: true } })
      assert.deepEqual(await opened(world, world.normalKey, second), [false, false])
      const answer = await rotate(world, { overlap_seconds: 30 })
      assert.isTrue(answer.json.data.disabled)
      assert.deepEqual(await opened(world, world.normalKey, second, answer.json.key), [false, false, false])
      world.installation.clock.now += 29_999
      await world.call("updateKey", { params, body: { disabled: false } })
      assert.deepEqual(await opened(world, world.normalKey, second, answer.json.key), [true, true, true])
      world.installation.clock.now += 1
      assert.deepEqual(await opened(world, world.normalKey, second, answer.json.key), [false, false, true])
      return answer
    }
  },
  {
    name: "all secrets end with a deleted key, and whoever sends one is told",
    status: 401,
    run: async (world) => {
      const second = await newSecret(world, 60)
      await world.call("deleteKey", { params: { hash: world.normalKeyHash } })
      assert.deepEqual(await opened(world, world.normalKey, second), [false, false])
      return world.call("getCurrentKey", { key: second })
    },
    check: reasonIs("revoked_api_key")
  },
  {
    name: "all secrets end when the key expires, and a rotation does not prolong it",
    status: 200,
    run: async (world) => {
      const expires_at = new Date(world.installation.clock.now + 10_000).toISOString()
      const made = await world.call("createKey", { body: { name: "brief", expires_at } })
      const { hash } = made.json.data
      const second = await newSecret(world, 60, hash)
      world.installation.clock.now += 9_999
      assert.deepEqual(await opened(world, made.json.key, second), [true, true])
      world.installation.clock.now += 1
      const answer = await rotate(world, {}, hash)
      assert.strictEqual(answer.json.data.expires_at, expires_at)
      assert.deepEqual(await opened(world, made.json.key, second, answer.json.key), [false, false, false])
      return answer
    }
  }
]
