import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type Case, type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { mostCredentialBytes, ownBytes } from "../limits/entityBytes.ts"
import { updatedRegions } from "./declaredRegions.ts"
import { unusableKeys } from "../key/keyStates.ts"

const nobody = "00000000-0000-4000-8000-000000000000"
const key = "sk-0123456789abcdefghijklmnopqrstuvwxyz"

const made = async (world: World, fields: Record<string, unknown> = {}) =>
  (await world.call("createByokCredential", { body: { key, provider: "openai", ...fields } })).json.data

const patch = (world: World, id: string, body: Record<string, unknown>) =>
  world.call("updateByokCredential", { params: { id }, body })

const stored = async (world: World, id: string) =>
  (await world.call("listByokCredentials")).json.data.find((item: { id: string }) => item.id === id)

/** Creates a credential and updates it; what the update answers is what is stored. */
const updating = (before: Record<string, unknown>, body: Record<string, unknown>) => async (world: World) => {
  const { id } = await made(world, before)
  world.installation.clock.now += 1000
  const answer = await patch(world, id, body)
  if (answer.status === 200) assert.deepEqual(await stored(world, id), answer.json.data)
  return answer
}

const good = (
  name: string,
  before: Record<string, unknown>,
  body: Record<string, unknown>,
  expected: Record<string, unknown>
): Case => ({
  name,
  status: 200,
  run: updating(before, body),
  check: ({ json: { data } }) => assert.deepInclude(data, expected)
})

const bad = (
  name: string,
  before: Record<string, unknown>,
  body: Record<string, unknown>,
  path: string,
  reason = "invalid_request"
): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const credential = await made(world, before)
    const answer = await patch(world, credential.id, body)
    assert.deepEqual(await stored(world, credential.id), credential)
    return answer
  },
  check: ({ json: { error } }) => {
    assert.strictEqual(error.metadata.reason, reason)
    assert.strictEqual(error.metadata.issues[0].path, path)
  }
})

const scoped = { name: "First", declared_zdr: true, allowed_models: ["a/one"], allowed_user_ids: ["user-1"] }
const flags = { disabled: true, is_required: true, is_fallback: true }

export const updateByokCredential: CasesOf = {
  operation: "updateByokCredential",
  cases: [
    ...updatedRegions,
    {
      name: "updates that add up beyond the size of a credential, one byte more than it may take",
      status: 400,
      run: async (world) => {
        const credential = await made(world, { allowed_models: ["m".repeat(8_000)], allowed_user_ids: [""] })
        const room = mostCredentialBytes - ownBytes(credential)
        const refused = await patch(world, credential.id, { allowed_user_ids: ["u".repeat(room + 1)] })
        assert.deepEqual(await stored(world, credential.id), credential)
        const users = ["u".repeat(room)]
        assert.strictEqual((await patch(world, credential.id, { allowed_user_ids: users })).status, 200)
        return refused
      },
      check: ({ json: { error } }) =>
        assert.deepInclude(error.metadata.issues[0], { path: "allowed_user_ids", code: "too_big" })
    },
    good("absent stays", { ...scoped, ...flags }, { name: "Second" }, { ...scoped, ...flags, name: "Second" }),
    good(
      "lists are replaced, an empty one admits nobody",
      scoped,
      { allowed_models: ["a/two", "a/three"], allowed_user_ids: [] },
      { ...scoped, allowed_models: ["a/two", "a/three"], allowed_user_ids: [] }
    ),
    good(
      "null clears",
      scoped,
      { name: null, declared_zdr: null, allowed_models: null, allowed_user_ids: null, allowed_api_key_hashes: null },
      { name: null, declared_zdr: null, allowed_models: null, allowed_user_ids: null, allowed_api_key_hashes: null }
    ),
    good(
      "null for a boolean is the same as absent",
      flags,
      { disabled: null, is_required: null, is_fallback: null, is_byok_only: null },
      flags
    ),
    good(
      "booleans",
      flags,
      { disabled: false, is_required: false, is_fallback: false, is_byok_only: true, declared_zdr: false },
      { disabled: false, is_required: false, is_fallback: false, is_byok_only: true, declared_zdr: false }
    ),
    good("an empty body changes nothing", { ...scoped, ...flags }, {}, { ...scoped, ...flags, label: "sk-...wxyz" }),
    {
      name: "live keys by hash",
      status: 200,
      run: async (world) => {
        const { id } = await made(world)
        return patch(world, id, { allowed_api_key_hashes: [world.normalKeyHash] })
      },
      check: ({ json: { data } }, world) => assert.deepEqual(data.allowed_api_key_hashes, [world.normalKeyHash])
    },
    {
      name: "a new key in place: only the label follows",
      status: 200,
      run: async (world) => {
        await made(world)
        const before = await made(world, scoped)
        world.installation.clock.now += 1000
        const answer = await patch(world, before.id.toUpperCase(), { key: "gsk_zyxwvutsrqponmlkjihgfedcba9876" })
        assert.deepEqual(answer.json.data, { ...before, label: "gsk_...9876" })
        assert.deepEqual(await stored(world, before.id), answer.json.data)
        return answer
      },
      check: ({ text }) => assert.notInclude(text, "zyxwv")
    },
    {
      name: "a new key of a credential in another workspace",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const { id } = await made(world, { workspace_id: workspace.json.data.id })
        return patch(world, id, { key: "short" })
      },
      check: ({ json: { data } }) => assert.strictEqual(data.label, "...")
    },
    {
      name: "provider, workspace, place and label are not changeable",
      status: 200,
      run: async (world) => {
        const before = await made(world)
        const answer = await patch(world, before.id, {
          provider: "anthropic",
          workspace_id: nobody,
          sort_order: 7,
          label: "mine",
          id: nobody,
          created_at: "2020-01-01T00:00:00Z"
        })
        assert.deepEqual(answer.json.data, before)
        return answer
      }
    },
    {
      name: "moving to the other group appends there, and no other is renumbered",
      status: 200,
      run: async (world) => {
        const [first, second, third] = [await made(world), await made(world), await made(world)]
        const place = async (id: string, is_fallback: boolean) =>
          (await patch(world, id, { is_fallback })).json.data.sort_order
        assert.strictEqual(await place(second.id, true), 0)
        assert.strictEqual(await place(first.id, true), 1)
        assert.strictEqual(await place(first.id, true), 1)
        assert.strictEqual(await place(second.id, false), 3)
        const places = (await world.call("listByokCredentials")).json.data.map(
          (item: { is_fallback: boolean; sort_order: number }) => [item.is_fallback, item.sort_order]
        )
        assert.sameDeepMembers(places, [
          [true, 1],
          [false, 3],
          [false, 2]
        ])
        assert.strictEqual((await made(world)).sort_order, 4)
        return patch(world, third.id, { is_fallback: false })
      },
      check: ({ json: { data } }) => assert.strictEqual(data.sort_order, 2)
    },
    {
      name: "moved at once, each has its own place",
      status: 200,
      run: async (world) => {
        const credentials = await Promise.all(Array.from({ length: 6 }, () => made(world)))
        const answers = await Promise.all(credentials.map(({ id }) => patch(world, id, { is_fallback: true })))
        assert.deepEqual(answers.map((answer) => answer.json.data.sort_order).sort(), [0, 1, 2, 3, 4, 5])
        return answers[0] ?? assert.fail()
      }
    },
    ...managementOnly("updateByokCredential", () => ({ params: { id: nobody }, body: {} })),
    bad("a null key", {}, { key: null }, "key"),
    bad("an empty key", {}, { key: "" }, "key"),
    bad("a name of 256 characters", {}, { name: "n".repeat(256) }, "name"),
    bad("101 models", {}, { allowed_models: Array.from({ length: 101 }, () => "m") }, "allowed_models"),
    bad("a list that is none", {}, { allowed_user_ids: "user-1" }, "allowed_user_ids"),
    bad("no hash", {}, { allowed_api_key_hashes: [] }, "allowed_api_key_hashes", "unknown_api_key_hash"),
    bad("both at once", {}, { is_byok_only: true, is_fallback: true }, "is_byok_only", "byok_only_fallback"),
    bad(
      "is_fallback where is_byok_only is stored",
      { is_byok_only: true },
      { is_fallback: true },
      "is_byok_only",
      "byok_only_fallback"
    ),
    bad(
      "is_byok_only where is_fallback is stored",
      { is_fallback: true },
      { is_byok_only: true, name: "x" },
      "is_byok_only",
      "byok_only_fallback"
    ),
    good(
      "from the one to the other",
      { is_fallback: true },
      { is_byok_only: true, is_fallback: false },
      { is_byok_only: true, is_fallback: false }
    ),
    {
      name: "is_byok_only and is_fallback at once, in two requests: one is refused",
      status: 200,
      run: async (world) => {
        const { id } = await made(world)
        const answers = await Promise.all([
          patch(world, id, { is_byok_only: true }),
          patch(world, id, { is_fallback: true })
        ])
        assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400])
        const { is_byok_only, is_fallback } = await stored(world, id)
        assert.notStrictEqual(is_byok_only, is_fallback)
        return answers.find((answer) => answer.status === 200) ?? assert.fail()
      }
    },
    ...Object.entries(unusableKeys).map(([state, hashOf]): Case => ({
      name: `a hash that is ${state}: told like every other`,
      status: 400,
      run: async (world) => {
        const { id } = await made(world)
        const send = (hashes: readonly string[]) =>
          world.call("updateByokCredential", {
            params: { id },
            body: { allowed_api_key_hashes: hashes },
            headers: { "x-request-id": "same" }
          })
        const answer = await send([await hashOf(world)])
        assert.strictEqual(answer.text, (await send([])).text)
        return answer
      }
    })),
    {
      name: "the body is judged before the id",
      status: 400,
      run: (world) => patch(world, nobody, { allowed_api_key_hashes: ["0".repeat(64)] })
    },
    { name: "a malformed id", status: 404, run: (world) => patch(world, "nope", {}) },
    { name: "an unknown id", status: 404, run: (world) => patch(world, nobody, { name: "x" }) },
    { name: "an unknown id, nothing to change", status: 404, run: (world) => patch(world, nobody, {}) },
    { name: "an unknown id, another group", status: 404, run: (world) => patch(world, nobody, { is_fallback: true }) },
    { name: "an unknown id, a new key", status: 404, run: (world) => patch(world, nobody, { key }) },
    {
      name: "a credential of another account, alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const foreign = await made(other)
        const call = (id: string) =>
          world.call("updateByokCredential", {
            params: { id },
            body: { key, disabled: true, is_fallback: true },
            headers: { "x-request-id": "same" }
          })
        const hidden = await call(foreign.id)
        assert.strictEqual(hidden.text, (await call(nobody)).text)
        assert.deepEqual(await stored(other, foreign.id), foreign)
        return hidden
      }
    },
    {
      name: "a credential of a deleted workspace",
      status: 404,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
        const { id } = await made(world, { workspace_id: workspace.json.data.id })
        await world.call("deleteWorkspace", { params: { id: "gone" } })
        return patch(world, id, { key })
      }
    },
    storeGone("ByokCredentials", 500, (world) => patch(world, nobody, { name: "x" }))
  ]
}
