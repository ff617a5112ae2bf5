import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import { createdRegions } from "./declaredRegions.ts"
import { newKeyHash, nowIn, unusableKeys } from "../key/keyStates.ts"

const key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
const body = { key, provider: "openai" }

const bad = (name: string, fields: Record<string, unknown>, path: string, reason?: string) =>
  refused("createByokCredential", name, { body: { ...body, ...fields } }, { path, reason })

const good = (name: string, fields: Record<string, unknown>, expected: Record<string, unknown>): Case => ({
  name,
  status: 200,
  run: (world) => world.call("createByokCredential", { body: { ...body, ...fields } }),
  check: ({ json: { data } }) => assert.deepInclude(data, expected)
})

const placed = async (world: World, fields: Record<string, unknown> = {}): Promise<number> =>
  (await world.call("createByokCredential", { body: { ...body, ...fields } })).json.data.sort_order

const list = (size: number) => Array.from({ length: size }, (_, index) => `entry-${index}`)

export const createByokCredential: CasesOf = {
  operation: "createByokCredential",
  cases: [
    ...createdRegions,
    {
      name: "a key and a provider: every default",
      status: 200,
      run: (world) => world.call("createByokCredential", { body }),
      check: ({ json: { data }, text }, world) => {
        const { id, ...rest } = data
        assert.match(id, /^[0-9a-f-]{36}$/)
        assert.deepEqual(rest, {
          workspace_id: world.workspace_id,
          provider: "openai",
          name: null,
          label: "sk-...wxyz",
          disabled: false,
          is_fallback: false,
          is_required: false,
          is_byok_only: false,
          declared_region: null,
          declared_zdr: null,
          sort_order: 0,
          allowed_api_key_hashes: null,
          allowed_models: null,
          allowed_user_ids: null,
          created_at: nowIn(world)
        })
        assert.notInclude(text, "0123456789")
      }
    },
    {
      name: "every field",
      status: 200,
      run: (world) =>
        world.call("createByokCredential", {
          body: {
            ...body,
            name: "Production",
            disabled: true,
            is_fallback: true,
            is_required: true,
            declared_zdr: false,
            allowed_api_key_hashes: [world.normalKeyHash],
            allowed_models: ["b/two", "a/one", "b/two"],
            allowed_user_ids: ["user-1"],
            workspace_id: world.workspace_id.toUpperCase()
          }
        }),
      check: ({ json: { data } }, world) =>
        assert.deepInclude(data, {
          workspace_id: world.workspace_id,
          name: "Production",
          disabled: true,
          is_fallback: true,
          is_required: true,
          declared_zdr: false,
          allowed_api_key_hashes: [world.normalKeyHash],
          allowed_models: ["b/two", "a/one", "b/two"],
          allowed_user_ids: ["user-1"]
        })
    },
    {
      name: "the public client is answered 201",
      status: 201,
      run: (world) =>
        world.call("createByokCredential", { body, headers: { "user-agent": "speakeasy-sdk/typescript 1.3.19" } })
    },
    {
      name: "what a client cannot set is ignored",
      status: 200,
      run: (world) =>
        world.call("createByokCredential", {
          body: {
            ...body,
            id: world.workspace_id,
            label: "mine",
            sort_order: 9,
            created_at: "2020-01-01T00:00:00Z",
            x: 1
          }
        }),
      check: ({ json: { data } }, world) => {
        assert.notStrictEqual(data.id, world.workspace_id)
        assert.deepInclude(data, { label: "sk-...wxyz", sort_order: 0, created_at: nowIn(world) })
        assert.notProperty(data, "x")
        assert.notProperty(data, "key")
      }
    },
    good("a key of one character", { key: "k" }, { label: "..." }),
    good("a key that is a JSON object", { key: '{"private_key":"abcdefghijklmnop"}' }, { label: "{...}" }),
    good(
      "a provider with a slash",
      { provider: "amazon-bedrock/claude-on-aws" },
      { provider: "amazon-bedrock/claude-on-aws" }
    ),
    good("a provider that the public API has dropped", { provider: "ncompass" }, { provider: "ncompass" }),
    good(
      "empty lists admit nobody",
      { allowed_models: [], allowed_user_ids: [] },
      { allowed_models: [], allowed_user_ids: [] }
    ),
    good(
      "null restricts nothing",
      { name: null, allowed_api_key_hashes: null, allowed_models: null, allowed_user_ids: null, declared_zdr: null },
      { name: null, allowed_api_key_hashes: null, allowed_models: null, allowed_user_ids: null, declared_zdr: null }
    ),
    good(
      "null for a boolean is the same as absent",
      { disabled: null, is_fallback: null, is_required: null, is_byok_only: null, workspace_id: null },
      { disabled: false, is_fallback: false, is_required: false, is_byok_only: false }
    ),
    good("is_byok_only without is_fallback", { is_byok_only: true, is_fallback: false }, { is_byok_only: true }),
    good("lists of 100", { allowed_models: list(100), allowed_user_ids: list(100) }, { allowed_user_ids: list(100) }),
    good("a name of 255 characters", { name: "😀".repeat(255) }, { name: "😀".repeat(255) }),
    {
      name: "appended within workspace, provider and group",
      status: 200,
      run: async (world) => {
        const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
        assert.deepEqual(
          [
            await placed(world),
            await placed(world),
            await placed(world, { is_fallback: true }),
            await placed(world, { provider: "anthropic" }),
            await placed(world, { workspace_id: second }),
            await placed(world, { is_fallback: true }),
            await placed(world, { disabled: true })
          ],
          [0, 1, 0, 0, 0, 1, 2]
        )
        return world.call("createByokCredential", { body })
      },
      check: ({ json: { data } }) => assert.strictEqual(data.sort_order, 3)
    },
    {
      name: "created at once, each has its own place",
      status: 200,
      run: async (world) => {
        const places = await Promise.all(Array.from({ length: 8 }, () => placed(world)))
        assert.deepEqual(
          places.toSorted((a, b) => a - b),
          [0, 1, 2, 3, 4, 5, 6, 7]
        )
        return world.call("createByokCredential", { body })
      },
      check: ({ json: { data } }) => assert.strictEqual(data.sort_order, 8)
    },
    {
      name: "created at once, each is what was asked for, in its own group",
      status: 200,
      run: async (world) => {
        const hash = await newKeyHash(world)
        const asked = Array.from({ length: 24 }, (_, index) => ({
          provider: index % 3 === 0 ? "anthropic" : "openai",
          name: index % 5 === 0 ? null : `at once {"${index}"} \\ ä 😀`,
          key: `sk-at-once-${index}-${"x".repeat(index)}`,
          is_fallback: index % 2 === 0,
          disabled: index % 7 === 0,
          declared_zdr: [null, true, false][index % 3],
          allowed_models: index % 4 === 0 ? ["acme/large", `a "quoted", {model}/${index}`] : null,
          allowed_user_ids: index % 6 === 0 ? ["NULL", ""] : null,
          allowed_api_key_hashes: index % 8 === 0 ? [hash] : null
        }))
        const foreign = world.call("createByokCredential", {
          body: { ...body, workspace_id: "00000000-0000-4000-8000-000000000000" }
        })
        const answers = await Promise.all(asked.map((one) => world.call("createByokCredential", { body: one })))
        assert.strictEqual((await foreign).status, 400)
        const places = new Map<string, number[]>()
        for (const [index, { json }] of answers.entries()) {
          const { key: _, ...fields } = asked[index] ?? { key: "" }
          assert.containsSubset(json.data, fields)
          const group = `${json.data.provider} ${json.data.is_fallback}`
          places.set(group, [...(places.get(group) ?? []), json.data.sort_order])
        }
        for (const taken of places.values())
          assert.deepEqual(
            taken.toSorted((a, b) => a - b),
            taken.map((_, place) => place)
          )
        const listed = await world.call("listByokCredentials")
        assert.sameDeepMembers(
          listed.json.data,
          answers.map(({ json }) => json.data)
        )
        return world.call("createByokCredential", { body })
      }
    },
    {
      name: "a repetition with an Idempotency-Key makes one",
      status: 200,
      run: async (world) => {
        const headers = { "idempotency-key": "once" }
        const first = await world.call("createByokCredential", { body, headers })
        const again = await world.call("createByokCredential", { body, headers })
        assert.strictEqual(again.text, first.text)
        const listed = await world.call("listByokCredentials")
        assert.strictEqual(listed.json.total_count, 1)
        return again
      }
    },
    {
      name: "a live key by its hash, twice",
      status: 200,
      run: async (world) => {
        const hash = await newKeyHash(world)
        return world.call("createByokCredential", { body: { ...body, allowed_api_key_hashes: [hash, hash] } })
      },
      check: ({ json: { data } }) => assert.lengthOf(data.allowed_api_key_hashes, 2)
    },
    ...managementOnly("createByokCredential", () => ({ body })),
    bad("no key", { key: undefined }, "key"),
    bad("an empty key", { key: "" }, "key"),
    bad("a key that is too long", { key: "k".repeat(65_537) }, "key"),
    bad("a null key", { key: null }, "key"),
    bad("a key that is no string", { key: { value: key } }, "key"),
    bad("no provider", { provider: undefined }, "provider"),
    bad("an unknown provider", { provider: "nobody" }, "provider", "unknown_provider"),
    bad("a provider in capitals", { provider: "OpenAI" }, "provider", "unknown_provider"),
    bad("a provider by a name of objects", { provider: "constructor" }, "provider", "unknown_provider"),
    bad("a provider that is no string", { provider: 7 }, "provider"),
    bad("a name of 256 characters", { name: "n".repeat(256) }, "name"),
    bad("101 models", { allowed_models: list(101) }, "allowed_models"),
    bad("101 users", { allowed_user_ids: list(101) }, "allowed_user_ids"),
    bad("a model that is no string", { allowed_models: [1] }, "allowed_models.0"),
    bad("disabled that is no boolean", { disabled: "true" }, "disabled"),
    bad(
      "101 hashes",
      { allowed_api_key_hashes: Array.from({ length: 101 }, () => "a".repeat(64)) },
      "allowed_api_key_hashes"
    ),
    bad("a hash in capitals", { allowed_api_key_hashes: ["A".repeat(64)] }, "allowed_api_key_hashes.0"),
    bad("a hash of 63 characters", { allowed_api_key_hashes: ["a".repeat(63)] }, "allowed_api_key_hashes.0"),
    bad("no hash", { allowed_api_key_hashes: [] }, "allowed_api_key_hashes", "unknown_api_key_hash"),
    bad(
      "is_byok_only with is_fallback",
      { is_byok_only: true, is_fallback: true },
      "is_byok_only",
      "byok_only_fallback"
    ),
    ...Object.entries(unusableKeys).map(([state, hashOf]): Case => ({
      name: `a hash that is ${state}: told like every other`,
      status: 400,
      run: async (world) => {
        const headers = { "x-request-id": "same" }
        const sent = (hashes: readonly string[]) =>
          world.call("createByokCredential", { body: { ...body, allowed_api_key_hashes: hashes }, headers })
        const answer = await sent([world.normalKeyHash, await hashOf(world)])
        assert.strictEqual(answer.text, (await sent([])).text)
        return answer
      },
      check: reasonIs("unknown_api_key_hash")
    })),
    ...bodyWorkspaceCases("createByokCredential", body),
    storeGone("ByokCredentials", 500, (world) => world.call("createByokCredential", { body })),
    storeGone("ApiKeys", 500, (world) =>
      world.call("createByokCredential", { body: { ...body, allowed_api_key_hashes: [world.normalKeyHash] } })
    )
  ]
}
