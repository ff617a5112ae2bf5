/** Management keys that a management key creates, lists and revokes. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import {
  accessCases,
  type Case,
  type CasesOf,
  managementOnly,
  outcomeUnknown,
  reasonIs,
  refused,
  storeGone
} from "../http/Case.ts"
import { boundsCases } from "../http/listCases.ts"
import { sha256Hex } from "../http/sha256.ts"
import { mintCases } from "./managementKeys/mints.ts"
import { reachCases } from "./managementKeys/reach.ts"

const nobody = "0".repeat(64)

/** The management keys of an account: the one that it began with, and others. */
const listed = async (world: World): Promise<Answer> => world.call("listManagementKeys")

const made = async (world: World, restrictions: unknown, key = world.managementKey): Promise<Answer> =>
  world.call("createManagementKey", { body: { name: "made", restrictions }, key })

/** A restricted key gives nothing away. */
const notByRestricted = (operation: "createManagementKey" | "listManagementKeys" | "deleteManagementKey"): Case => ({
  name: "a restricted key",
  status: 403,
  run: async (world) => {
    const { key } = (await made(world, { resources: ["keys"] })).json
    return world.call(operation, {
      key,
      params: { hash: nobody },
      body: operation === "createManagementKey" ? { name: "x" } : undefined
    })
  },
  check: (answer) => {
    reasonIs("restricted_key")(answer)
    assert.strictEqual(answer.json.error.metadata.issues[0].code, "restricted")
  }
})

const createManagementKey: CasesOf = {
  operation: "createManagementKey",
  cases: [
    {
      name: "a key that may do everything",
      status: 200,
      run: (world) => made(world, undefined),
      check: async ({ json, text }, world) => {
        assert.match(json.key, /^gwm-v1-/)
        assert.isNull(json.data.restrictions)
        assert.strictEqual(json.data.hash, await sha256Hex(json.key))
        assert.strictEqual((await made(world, null, json.key)).status, 200)
        const { data, total_count } = (await listed(world)).json
        assert.strictEqual(total_count, 3)
        assert.isTrue(data.some((each: object) => JSON.stringify(each) === JSON.stringify(json.data)))
        assert.notInclude((await listed(world)).text, json.key)
        assert.include(text, json.key)
      }
    },
    {
      name: "a key that may only read",
      status: 200,
      run: (world) => made(world, { access: "read" }),
      check: async ({ json }, world) => {
        const { key } = json
        assert.deepEqual(json.data.restrictions, { access: "read", workspace_ids: null, resources: null })
        assert.deepEqual((await world.call("getCurrentKey", { key })).json.data.restrictions, json.data.restrictions)
        assert.strictEqual((await world.call("listGuardrails", { key })).status, 200)
        const write = await world.call("createGuardrail", { key, body: { name: "g" } })
        assert.deepEqual([write.status, write.json.error.metadata.issues[0].code], [403, "access"])
      }
    },
    {
      name: "a key for one workspace acts there without naming it",
      status: 200,
      run: async (world) => {
        const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
        return made(world, { workspace_ids: [second] })
      },
      check: async ({ json }, world) => {
        const { key } = json
        const [workspace_id] = json.data.restrictions.workspace_ids
        const guardrail = await world.call("createGuardrail", { key, body: { name: "g" } })
        assert.strictEqual(guardrail.json.data.workspace_id, workspace_id)
        const elsewhere = await world.call("createGuardrail", {
          key,
          body: { name: "g", workspace_id: world.workspace_id }
        })
        assert.deepEqual([elsewhere.status, elsewhere.json.error.metadata.reason], [400, "unknown_workspace"])
      }
    },
    {
      name: "a key for one workspace does not reach the default guardrail of another, which nobody has stored",
      status: 404,
      run: async (world) => {
        const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
        const { key } = (await made(world, { workspace_ids: [second] })).json
        const own = (await world.call("getWorkspace", { params: { id: second }, key })).json.data.default_guardrail_id
        const body = { limit_usd: 1, reset_interval: "daily" }
        assert.strictEqual((await world.call("updateGuardrail", { params: { id: own }, body, key })).status, 200)
        return world.call("updateGuardrail", { params: { id: world.default_guardrail_id }, body, key })
      }
    },
    {
      name: "a key for several workspaces must name one",
      status: 400,
      run: async (world) => {
        const ids = []
        for (const slug of ["second", "third"])
          ids.push((await world.call("createWorkspace", { body: { name: slug, slug } })).json.data.id)
        const { key } = (await made(world, { workspace_ids: ids })).json
        return world.call("listGuardrails", { key })
      },
      check: reasonIs("workspace_id_required")
    },
    ...mintCases,
    ...reachCases,
    refused("createManagementKey", "no name", { body: {} }, { path: "name" }),
    refused(
      "createManagementKey",
      "no workspace",
      { body: { name: "k", restrictions: { workspace_ids: [] } } },
      { path: "restrictions.workspace_ids" }
    ),
    refused(
      "createManagementKey",
      "a workspace that is none",
      { body: { name: "k", restrictions: { workspace_ids: ["x"] } } },
      { path: "restrictions.workspace_ids.0" }
    ),
    refused(
      "createManagementKey",
      "a resource that is none",
      { body: { name: "k", restrictions: { resources: ["everything"] } } },
      { path: "restrictions.resources.0" }
    ),
    refused(
      "createManagementKey",
      "a resource twice",
      { body: { name: "k", restrictions: { resources: ["keys", "keys"] } } },
      { path: "restrictions.resources" }
    ),
    refused(
      "createManagementKey",
      "an unknown access",
      { body: { name: "k", restrictions: { access: "admin" } } },
      { path: "restrictions.access" }
    ),
    refused(
      "createManagementKey",
      "an end in the past",
      { body: { name: "k", expires_at: "2026-01-01T00:00:00Z" } },
      { path: "expires_at" }
    ),
    ...(["2026-01-01T00:00:00Z", null] as const).map((end): Case => ({
      name: `by a key that expires, one that ${end === null ? "does not expire" : "expires later"}`,
      status: 400,
      run: async (world) => {
        const at = (millis: number) => new Date(world.installation.clock.now + millis).toISOString()
        const create = (key: string, expires_at: string | null | undefined) =>
          world.call("createManagementKey", { key, body: { name: "k", expires_at } })
        const expiring = (await create(world.managementKey, at(3_600_000))).json
        const heir = await create(expiring.key, at(3_600_000))
        assert.deepEqual([heir.status, heir.json.data.expires_at], [200, expiring.data.expires_at])
        assert.strictEqual((await create(heir.json.key, at(60_000))).status, 200)
        assert.strictEqual((await create(expiring.key, undefined)).status, 400)
        return create(expiring.key, end === null ? null : at(3_600_001))
      },
      check: (answer) => {
        reasonIs("outlives_its_maker")(answer)
        assert.strictEqual(answer.json.error.metadata.issues[0].path, "expires_at")
      }
    })),
    {
      name: "a workspace of another account",
      status: 400,
      run: async (world) => made(world, { workspace_ids: [(await world.other()).workspace_id] }),
      check: reasonIs("unknown_workspace")
    },
    notByRestricted("createManagementKey"),
    ...managementOnly("createManagementKey", () => ({ body: { name: "k" } })),
    storeGone("ApiKeys", 500, (world) => made(world, null)),
    outcomeUnknown("ApiKeys", (world) => made(world, null))
  ]
}

const listManagementKeys: CasesOf = {
  operation: "listManagementKeys",
  cases: [
    {
      name: "the key that the account began with",
      status: 200,
      run: listed,
      check: async ({ json }, world) => {
        assert.strictEqual(json.total_count, 1)
        assert.strictEqual(json.data[0].hash, await sha256Hex(world.managementKey))
      }
    },
    {
      name: "pages, oldest first",
      status: 200,
      run: async (world) => {
        for (let count = 0; count < 3; count++) {
          world.installation.clock.now += 1000
          await world.call("createManagementKey", { body: { name: `key ${count}` } })
        }
        return world.call("listManagementKeys", { query: { limit: "2", offset: "1" } })
      },
      check: ({ json }) => {
        assert.strictEqual(json.total_count, 4)
        assert.deepEqual(
          json.data.map(({ name }: { name: string }) => name),
          ["key 0", "key 1"]
        )
      }
    },
    ...boundsCases(
      "listManagementKeys",
      () => ({}),
      ({ json }) => assert.strictEqual(json.total_count, 1)
    ),
    notByRestricted("listManagementKeys"),
    ...managementOnly("listManagementKeys", () => ({})),
    storeGone("ApiKeys", 500, listed)
  ]
}

const deleteManagementKey: CasesOf = {
  operation: "deleteManagementKey",
  cases: [
    {
      name: "refused from then on",
      status: 200,
      run: async (world) =>
        world.call("deleteManagementKey", { params: { hash: (await made(world, null)).json.data.hash } }),
      check: async ({ json }, world) => {
        assert.deepEqual(json, { deleted: true })
        const { data } = (await listed(world)).json
        assert.sameMembers(
          data.map((key: { expires_at: string | null }) => key.expires_at),
          [null, new Date(world.installation.clock.now).toISOString()]
        )
      }
    },
    {
      name: "a key that revokes itself",
      status: 200,
      run: async (world) => {
        const { data, key } = (await made(world, null)).json
        const answer = await world.call("deleteManagementKey", { params: { hash: data.hash }, key })
        assert.strictEqual((await world.call("getCurrentKey", { key })).status, 401)
        return answer
      }
    },
    {
      name: "the last one stays, whatever restricted keys there are",
      status: 409,
      run: async (world) => {
        await made(world, { access: "write" })
        return world.call("deleteManagementKey", { params: { hash: await sha256Hex(world.managementKey) } })
      },
      check: reasonIs("last_management_key")
    },
    {
      name: "an unknown hash",
      status: 404,
      run: (world) => world.call("deleteManagementKey", { params: { hash: nobody } })
    },
    {
      name: "a malformed hash",
      status: 404,
      run: (world) => world.call("deleteManagementKey", { params: { hash: "x" } })
    },
    {
      name: "an API key",
      status: 404,
      run: (world) => world.call("deleteManagementKey", { params: { hash: world.normalKeyHash } })
    },
    notByRestricted("deleteManagementKey"),
    ...accessCases("deleteManagementKey", () => ({ params: { hash: nobody } })),
    storeGone("ApiKeys", 500, (world) => world.call("deleteManagementKey", { params: { hash: nobody } }))
  ]
}

export const managementKeyCases = [createManagementKey, listManagementKeys, deleteManagementKey] as const
