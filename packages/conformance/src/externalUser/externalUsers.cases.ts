/** The cases of registered external users. Rule: access#external-users. */
import { assert } from "@effect/vitest"
import { ask, openMarket } from "../admission/admissionWorld.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import { given } from "../usage/queryAnalytics/scene.ts"
import type { World } from "../World.ts"
import { register } from "./register.ts"

const of = (user: string) => ({ params: { user } })
const read = (world: World, user: string) => world.call("getExternalUser", of(user))
const list = (world: World, query: Readonly<Record<string, string>> = {}) => world.call("listExternalUsers", { query })
const set = (world: World, user: string, is_active: boolean) =>
  world.call("updateExternalUser", { ...of(user), body: { is_active } })
const remove = (world: World, user: string) => world.call("deleteExternalUser", of(user))

const namesIn = async (world: World, query: Readonly<Record<string, string>> = {}) => {
  const { data, total_count } = (await list(world, query)).json
  return { users: data.map(({ user }: { readonly user: string }) => user), total_count }
}

const later = (world: World): void => void (world.installation.clock.now += 1_000)

const bad = (name: string, user: unknown): Case =>
  refused("createExternalUser", name, { body: { user } }, { path: "user", reason: "invalid_request" })

const good = (name: string, user: string): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const answer = await register(world, user)
    assert.deepEqual((await read(world, user)).json, answer.json)
    assert.deepEqual(await namesIn(world, { user }), { users: [user], total_count: 1 })
    return answer
  },
  check: ({ json }, world) =>
    assert.deepEqual(json.data, { user, is_active: true, created_at: nowIn(world), updated_at: nowIn(world) })
})

/** A name that is not registered, one of another account, and one that no store can keep. */
const unknown = (
  operation: "getExternalUser" | "updateExternalUser" | "deleteExternalUser",
  more: { readonly body?: object } = {}
): readonly Case[] => [
  { name: "unknown", status: 404, run: (world) => world.call(operation, { ...of("nobody"), ...more }) },
  {
    name: "in other case",
    status: 404,
    run: async (world) => {
      await register(world, "Anna")
      return world.call(operation, { ...of("anna"), ...more })
    }
  },
  {
    name: "of another account, which keeps it",
    status: 404,
    run: async (world) => {
      const other = await world.other()
      const { json } = await register(other, "anna")
      const answer = await world.call(operation, { ...of("anna"), ...more })
      assert.deepEqual((await read(other, "anna")).json, json)
      return answer
    }
  },
  { name: "a name with U+0000", status: 404, run: (world) => world.call(operation, { ...of("a\0b"), ...more }) }
]

const createExternalUser: CasesOf = {
  operation: "createExternalUser",
  cases: [
    good("a name", "customer-1"),
    good("a name that an address must encode", "acme/ä b?c#d%2F&e=f"),
    good("512 characters, each of two units", "\u{1f600}".repeat(512)),
    {
      name: "the same name twice, and in another account",
      status: 409,
      run: async (world) => {
        for (const each of [world, await world.other()]) assert.strictEqual((await register(each, "anna")).status, 200)
        return register(world, "anna")
      },
      check: reasonIs("external_user_exists")
    },
    {
      name: "a name that was deactivated, which stays so",
      status: 409,
      run: async (world) => {
        await register(world, "anna")
        await remove(world, "anna")
        const answer = await register(world, "anna")
        assert.isFalse((await read(world, "anna")).json.data.is_active)
        return answer
      }
    },
    {
      name: "under the path that the public API had first, to its client",
      status: 201,
      run: (world) =>
        world.send("POST", "/end-users", {
          key: world.managementKey,
          headers: { "user-agent": "speakeasy-sdk/typescript 1.4.26" },
          body: { user: "anna" }
        }),
      check: async (answer, world) => {
        assert.deepEqual((await read(world, "anna")).json, answer.json)
        const { json } = await world.send("GET", "/end-users?offset=null", { key: world.managementKey })
        assert.deepEqual(json, { data: [answer.json.data], total_count: 1 })
      }
    },
    bad("no name", undefined),
    bad("an empty name", ""),
    bad("513 characters", "a".repeat(513)),
    bad("white space before it", " anna"),
    bad("white space behind it", "anna\n"),
    bad("a number", 1),
    ...managementOnly("createExternalUser", () => ({ body: { user: "anna" } })),
    storeGone("ExternalUsers", 500, (world) => register(world, "anna")),
    outcomeUnknown("ExternalUsers", (world) => register(world, "anna"))
  ]
}

const listExternalUsers: CasesOf = {
  operation: "listExternalUsers",
  cases: [
    {
      name: "active ones by registration, page by page, of this account alone",
      status: 200,
      run: async (world) => {
        await register(await world.other(), "theirs")
        assert.deepEqual((await list(world)).json, { data: [], total_count: 0 })
        for (const user of ["c", "a", "d", "b"]) {
          await register(world, user)
          later(world)
        }
        await remove(world, "a")
        assert.deepEqual(await namesIn(world), { users: ["c", "d", "b"], total_count: 3 })
        assert.deepEqual(await namesIn(world, { limit: "1", offset: "2" }), { users: ["b"], total_count: 3 })
        assert.deepEqual(await namesIn(world, { offset: "3" }), { users: [], total_count: 3 })
        const all = { include_inactive: "true" }
        assert.deepEqual(await namesIn(world, all), { users: ["c", "a", "d", "b"], total_count: 4 })
        assert.deepEqual(await namesIn(world, { ...all, limit: "2", offset: "1" }), {
          users: ["a", "d"],
          total_count: 4
        })
        assert.deepEqual(await namesIn(world, { user: "a" }), { users: [], total_count: 0 })
        assert.deepEqual(await namesIn(world, { user: "a", offset: "1", ...all }), { users: [], total_count: 1 })
        await set(world, "a", true)
        assert.deepEqual(await namesIn(world), { users: ["c", "a", "d", "b"], total_count: 4 })
        return list(world, { user: "a" })
      },
      check: ({ json }) => assert.deepInclude(json.data[0], { user: "a", is_active: true })
    },
    {
      name: "with a key of an external user, who is registered once, in the form that the key has",
      status: 200,
      run: async (world) => {
        const withKey = (user: string) => world.call("createKey", { body: { name: "k", external: { user } } })
        const key = await withKey("  anna ")
        assert.strictEqual(key.json.data.external_user, "anna")
        await withKey("anna")
        await register(world, "bert")
        await remove(world, "bert")
        await withKey("bert")
        await world.call("createKey", { body: { name: "of nobody" } })
        assert.deepEqual(await namesIn(world), { users: ["anna"], total_count: 1 })
        // A key that is not made registers nobody.
        const known = `${world.account_id}-of-a-host-${"k".repeat(20)}`
        const given = (user: string) =>
          world.call("createKey", { body: { name: "k", external: { user, api_key: known } } })
        assert.strictEqual((await given("carl")).status, 200)
        assert.strictEqual((await given("dora")).status, 400)
        return list(world, { include_inactive: "true" })
      },
      check: ({ json }) =>
        assert.sameMembers(
          json.data.map((row: { user: string; is_active: boolean }) => `${row.user} ${row.is_active}`),
          ["anna true", "bert false", "carl true"]
        )
    },
    refused("listExternalUsers", "a page of 101", { query: { limit: "101" } }, { path: "query.limit" }),
    refused(
      "listExternalUsers",
      "neither true nor false",
      { query: { include_inactive: "1" } },
      { path: "query.include_inactive" }
    ),
    ...managementOnly("listExternalUsers", () => ({})),
    storeGone("ExternalUsers", 500, (world) => list(world))
  ]
}

const getExternalUser: CasesOf = {
  operation: "getExternalUser",
  cases: [
    {
      name: "also one that was deactivated, by both paths",
      status: 200,
      run: async (world) => {
        await register(world, "a/b")
        later(world)
        await remove(world, "a/b")
        const answer = await read(world, "a/b")
        const older = await world.send("GET", "/end-users/a%2Fb", { key: world.managementKey })
        assert.deepEqual(older.json, answer.json)
        return answer
      },
      check: ({ json }, world) => assert.deepInclude(json.data, { is_active: false, updated_at: nowIn(world) })
    },
    ...unknown("getExternalUser"),
    ...managementOnly("getExternalUser", () => of("anna")),
    storeGone("ExternalUsers", 500, (world) => read(world, "anna"))
  ]
}

const updateExternalUser: CasesOf = {
  operation: "updateExternalUser",
  cases: [
    {
      name: "off and on; the same again changes nothing",
      status: 200,
      run: async (world) => {
        const made = (await register(world, "anna")).json.data
        later(world)
        assert.deepEqual((await set(world, "anna", true)).json.data, made)
        const off = { ...made, is_active: false, updated_at: nowIn(world) }
        assert.deepEqual((await set(world, "anna", false)).json.data, off)
        later(world)
        assert.deepEqual((await set(world, "anna", false)).json.data, off)
        assert.deepEqual((await read(world, "anna")).json.data, off)
        return set(world, "anna", true)
      },
      check: ({ json }, world) => assert.deepInclude(json.data, { is_active: true, updated_at: nowIn(world) })
    },
    refused("updateExternalUser", "nothing", { ...of("anna"), body: {} }, { path: "is_active" }),
    refused("updateExternalUser", "null", { ...of("anna"), body: { is_active: null } }, { path: "is_active" }),
    ...unknown("updateExternalUser", { body: { is_active: false } }),
    ...managementOnly("updateExternalUser", () => ({ ...of("anna"), body: { is_active: false } })),
    storeGone("ExternalUsers", 500, (world) => set(world, "anna", true)),
    outcomeUnknown("ExternalUsers", (world) => set(world, "anna", true))
  ]
}

const deleteExternalUser: CasesOf = {
  operation: "deleteExternalUser",
  cases: [
    {
      name: "deactivates, the second time like the first",
      status: 204,
      run: async (world) => {
        await register(world, "anna")
        later(world)
        assert.strictEqual((await remove(world, "anna")).text, "")
        const { json } = await read(world, "anna")
        assert.deepInclude(json.data, { is_active: false, updated_at: nowIn(world) })
        later(world)
        const answer = await remove(world, "anna")
        assert.deepEqual((await read(world, "anna")).json, json)
        return answer
      }
    },
    {
      name: "blocks no request of the user's key, whose usage is found by the name",
      status: 204,
      run: async (world) => {
        const { sonnet } = await openMarket(world)
        const made = await world.call("createKey", { body: { name: "k", external: { user: "anna" } } })
        const answer = await remove(world, "anna")
        const admission = await ask(world, { api_key_hash: made.json.data.hash, model: sonnet })
        assert.strictEqual(admission.status, 200, admission.text)
        await given(world, { id: "one", external_user: "anna", cost_usd: "0.5" }, { id: "two", cost_usd: "2" })
        const { json } = await world.call("queryAnalytics", {
          body: {
            metrics: ["request_count", "total_usage"],
            filters: [{ field: "external_user", operator: "eq", value: "anna" }]
          }
        })
        assert.deepInclude(json.data.data[0], { request_count: 1, total_usage: 0.5 })
        return answer
      }
    },
    ...unknown("deleteExternalUser"),
    ...managementOnly("deleteExternalUser", () => of("anna")),
    storeGone("ExternalUsers", 500, (world) => remove(world, "anna")),
    outcomeUnknown("ExternalUsers", (world) => remove(world, "anna"))
  ]
}

export const externalUserCases: readonly CasesOf[] = [
  createExternalUser,
  listExternalUsers,
  getExternalUser,
  updateExternalUser,
  deleteExternalUser
]
