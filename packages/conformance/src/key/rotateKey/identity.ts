/** What stays with a key that is rotated: everything that is known of it, whichever secret was used. */
import { putCatalog } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { ask, openMarket } from "../../admission/admissionWorld.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { sha256Hex } from "../../http/sha256.ts"
import type { World } from "../../World.ts"
import { newSecret, opened, rotate } from "./rotations.ts"

const admit = (world: World, api_key_hash: string, key = world.managementKey) =>
  world.call("createAdmission", { body: { api_key_hash, model: "acme/sonnet", max_completion_tokens: 10 }, key })

const explain = (world: World, api_key_hash: string) =>
  world.call("createExplanation", { body: { api_key_hash, model: "acme/sonnet", max_completion_tokens: 10 } })

const eventOf = (world: World, id: string, api_key_hash: string) => ({
  id,
  created_at: new Date(world.installation.clock.now).toISOString(),
  model: "acme/sonnet",
  provider: "openai",
  api_key_hash,
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd: "0.25"
})

const report = (world: World, events: readonly object[], key = world.managementKey) =>
  world.call("recordUsageEvents", { body: { events }, key })

const usageOf = async (world: World, hash = world.normalKeyHash): Promise<number> =>
  (await world.call("getKey", { params: { hash } })).json.data.usage

export const identity: readonly Case[] = [
  {
    name: "usage, limits, rate limits and assignments stay, and secrets share them",
    status: 200,
    run: async (world) => {
      await world.call("putCatalog", { body: putCatalog.example.body })
      const hash = world.normalKeyHash
      const guardrail = (await world.call("createGuardrail", { body: { name: "One" } })).json.data.id
      await world.call("assignKeys", { params: { id: guardrail }, body: { key_hashes: [hash] } })
      await world.call("updateKey", { params: { hash }, body: { limit: 5 } })
      await world.call("putKeyRateLimits", { params: { hash }, body: { requests_per_minute: 2 } })
      await report(world, [eventOf(world, "e-1", hash)])
      const second = await newSecret(world, 60)
      for (const [place, named] of [hash, await sha256Hex(second)].entries()) {
        const key = place === 0 ? world.managementKey : world.gatewayKey
        const admitted = await admit(world, named, key)
        assert.strictEqual(admitted.json.data.decision, "allow")
        assert.strictEqual(admitted.json.data.holds[0].entity, hash)
        const { id: _, api_key_hash: __, ...event } = eventOf(world, "", named)
        const settled = await world.call("settleAdmission", {
          params: { id: admitted.json.data.id },
          body: { event },
          key
        })
        assert.strictEqual(settled.json.data.charged[0].entity, hash)
      }
      // The third request of the minute, whichever secret sends it.
      assert.strictEqual((await admit(world, await sha256Hex(second))).json.data.status, 429)
      assert.strictEqual((await world.call("getCurrentKey", { key: second })).json.data.usage, 0.75)
      const assigned = await world.call("listKeyAssignments")
      assert.strictEqual(assigned.json.data[0].key_hash, hash)
      return rotate(world)
    },
    check: ({ json }) => assert.deepInclude(json.data, { usage: 0.75, limit: 5, limit_remaining: 4.25 })
  },
  {
    name: "a credential that is for the key serves requests of every secret",
    status: 200,
    run: async (world) => {
      const { sonnet } = await openMarket(world)
      const body = { key: "sk-example-0123456789", provider: "openai", allowed_api_key_hashes: [world.normalKeyHash] }
      assert.strictEqual((await world.call("createByokCredential", { body })).status, 200)
      const answer = await rotate(world)
      const api_key_hash = await sha256Hex(answer.json.key)
      const { candidates } = (await ask(world, { model: sonnet, api_key_hash })).json.data
      assert.isTrue(candidates.some(({ source }: { source: string }) => source === "byok"))
      return answer
    }
  },
  {
    name: "usage that names any secret of the key, ended ones too, is recorded under the key",
    status: 200,
    run: async (world) => {
      const second = await sha256Hex(await newSecret(world, 60))
      const third = await sha256Hex(await newSecret(world, 60))
      world.installation.clock.now += 60_000
      const own = [eventOf(world, "e-1", world.normalKeyHash), eventOf(world, "e-2", second)]
      assert.strictEqual((await report(world, own)).status, 200)
      const relayed = [eventOf(world, "e-3", second), eventOf(world, "e-4", third)]
      assert.strictEqual((await report(world, relayed, world.gatewayKey)).status, 200)
      assert.strictEqual(await usageOf(world), 1)
      const generation = await world.call("getGeneration", { query: { id: "e-4" }, key: world.managementKey })
      assert.notInclude(generation.text, third)
      return rotate(world)
    }
  },
  {
    name: "admissions are denied to a secret that has ended, with a management and a gateway key",
    status: 200,
    run: async (world) => {
      await world.call("putCatalog", { body: putCatalog.example.body })
      const second = await newSecret(world, 60)
      const answer = await rotate(world, { overlap_seconds: 60 })
      world.installation.clock.now += 59_999
      const former = [world.normalKeyHash, await sha256Hex(second)]
      for (const hash of former) assert.strictEqual((await admit(world, hash)).json.data.decision, "allow")
      world.installation.clock.now += 1
      const ended = new Date(world.installation.clock.now).toISOString()
      for (const key of [world.managementKey, world.gatewayKey])
        for (const hash of former)
          assert.deepInclude((await admit(world, hash, key)).json.data, {
            decision: "deny",
            status: 401,
            reasons: [{ scope: "key", guardrail_id: null, field: "secret", value: ended }]
          })
      const newest = await admit(world, await sha256Hex(answer.json.key), world.gatewayKey)
      assert.strictEqual(newest.json.data.decision, "allow")
      return answer
    }
  },
  {
    name: "an admission of a secret that ends before the request does is settled",
    status: 200,
    run: async (world) => {
      await world.call("putCatalog", { body: putCatalog.example.body })
      const second = await newSecret(world, 0)
      const admitted = await admit(world, await sha256Hex(second))
      const answer = await rotate(world, { overlap_seconds: 0 })
      const { id: _, api_key_hash: __, ...event } = eventOf(world, "", "")
      const params = { id: admitted.json.data.id }
      assert.strictEqual((await world.call("settleAdmission", { params, body: { event } })).status, 200)
      assert.strictEqual(await usageOf(world), 0.25)
      return answer
    }
  },
  {
    name: "explanations and replays name the key by its hash for ever, or by that of a secret",
    status: 200,
    run: async (world) => {
      await world.call("putCatalog", { body: putCatalog.example.body })
      const second = await sha256Hex(await newSecret(world, 0))
      const answer = await rotate(world, { overlap_seconds: 0 })
      const third = await sha256Hex(answer.json.key)
      const decisions: string[] = []
      for (const hash of [world.normalKeyHash, second, third])
        decisions.push((await explain(world, hash)).json.data.decision)
      assert.deepEqual(decisions, ["allow", "deny", "allow"])
      await report(world, [eventOf(world, "e-1", third)])
      const start = new Date(world.installation.clock.now - 1000).toISOString()
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      for (const api_key_hash of [world.normalKeyHash, second, third]) {
        const replayed = await world.call("createExplanation", { body: { api_key_hash, replay: { start, end } } })
        assert.strictEqual(replayed.json.data.events, 1)
      }
      return answer
    }
  },
  {
    name: "a key that its host brought gets a secret of ours",
    status: 200,
    run: async (world) => {
      const own = `host-issued-key-${world.account_id}`
      const body = { name: "theirs", external: { user: "customer-1", api_key: own } }
      const { hash } = (await world.call("createKey", { body })).json.data
      const answer = await rotate(world, {}, hash)
      assert.match(answer.json.key, /^gw-v1-/)
      assert.deepInclude(answer.json.data, { hash, external_user: "customer-1" })
      assert.deepEqual(await opened(world, own, answer.json.key), [true, true])
      return answer
    }
  },
  {
    name: "nobody takes a secret of a rotated key for a key of their own",
    status: 400,
    run: async (world) => {
      const second = await newSecret(world, 60)
      const body = { name: "theirs", external: { user: "customer-1", api_key: second } }
      return (await world.other()).call("createKey", { body })
    },
    check: reasonIs("api_key_unusable")
  },
  {
    name: "another account cannot use a secret's hash",
    status: 200,
    run: async (world) => {
      await world.call("putCatalog", { body: putCatalog.example.body })
      const other = await world.other()
      const answer = await rotate(world)
      const hash = await sha256Hex(answer.json.key)
      assert.deepInclude((await admit(other, hash)).json.data, { decision: "deny", status: 401 })
      await report(other, [eventOf(world, "e-1", hash)])
      assert.strictEqual(await usageOf(world), 0)
      for (const id of ["getKey", "deleteKey", "rotateKey"] as const)
        for (const caller of [world, other])
          assert.strictEqual(
            (await caller.call(id, { params: { hash }, body: id === "rotateKey" ? {} : undefined })).status,
            404
          )
      return answer
    }
  },
  {
    name: "a repetition with the same Idempotency-Key answers the same secret, and rotates once",
    status: 200,
    run: async (world) => {
      const call = { params: { hash: world.normalKeyHash }, body: {}, headers: { "idempotency-key": "once" } }
      const first = await world.call("rotateKey", call)
      const again = await world.call("rotateKey", call)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.deepEqual(again.json, first.json)
      return again
    },
    check: async ({ json }, world) => {
      assert.deepEqual(await opened(world, world.normalKey, json.key), [true, true])
      const recorded = (await world.call("getAuditLog")).json.data
      assert.lengthOf(
        recorded.filter((row: { operation: string | null }) => row.operation === "rotateKey"),
        1
      )
    }
  },
  {
    name: "is recorded as a change, without the secret or its hash",
    status: 200,
    run: (world) => rotate(world),
    check: async ({ json }, world) => {
      const log = await world.call("getAuditLog")
      const [change] = log.json.data
      assert.deepInclude(change, { noun: "key", action: "update", operation: "rotateKey" })
      assert.include(log.text, json.data.label)
      assert.notInclude(log.text, json.key)
      assert.notInclude(log.text, await sha256Hex(json.key))
    }
  }
]
