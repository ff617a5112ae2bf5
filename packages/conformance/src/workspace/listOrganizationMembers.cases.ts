import { ApiKeys, newApiKey } from "@gatewarden/core/internal"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eraseDue } from "../erasure/erasing.ts"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { boundsCases } from "../http/listCases.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"

const id = "listOrganizationMembers"

const member = (of: string, fields: object = {}) => ({
  id: of,
  email: "",
  first_name: null,
  last_name: null,
  role: "org:member",
  ...fields
})

const add = (world: World, ...user_ids: readonly string[]) =>
  world.call("addWorkspaceMembers", { params: { id: "default" }, body: { user_ids } })

const newManagementKey = (world: World, user_id: string, state: { disabled?: boolean; expires_at?: string } = {}) =>
  world.installation.run(
    Effect.gen(function* () {
      const named = { kind: "management", account_id: world.account_id, workspace_id: null, name: "m" } as const
      const { record } = yield* newApiKey({ ...named, user_id, ...state })
      yield* (yield* ApiKeys).insert(record)
      return record.hash
    })
  )

export const listOrganizationMembers: CasesOf = {
  operation: id,
  cases: [
    // The API key of every world has a user.
    ...boundsCases(
      id,
      () => ({}),
      ({ json }) => assert.strictEqual(json.total_count, 1)
    ),
    {
      name: "whom a key or a membership names, each once, by id, a page at a time",
      status: 200,
      run: async (world) => {
        await (await world.other()).call("createKey", { body: { name: "theirs", creator_user_id: "stranger" } })
        await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        await add(world, "zoe", "Ann", "user-1")
        await world.call("addWorkspaceMembers", { params: { id: "second" }, body: { user_ids: ["zoe"] } })
        await world.call("createKey", { body: { name: "bob's", creator_user_id: "bob é" } })
        const all = ["Ann", "bob é", "user-1", "zoe"].map((of) => member(of))
        for (let offset = 0; offset <= 5; offset++) {
          const page = await world.call(id, { query: { limit: "2", offset: String(offset) } })
          assert.deepEqual(page.json, { data: all.slice(offset, offset + 2), total_count: 4 })
        }
        return world.call(id)
      },
      check: ({ json }) => assert.lengthOf(json.data, 4)
    },
    {
      name: "an id that is an address is the address",
      status: 200,
      run: async (world) => {
        await add(world, "ann@example.com", "bob@", "@", "cleo at example.com")
        return world.call(id)
      },
      check: ({ json }) =>
        assert.deepEqual(json.data, [
          member("@"),
          member("ann@example.com", { email: "ann@example.com" }),
          member("bob@"),
          member("cleo at example.com"),
          member("user-1")
        ])
    },
    {
      name: "an admin, as long as a management key of the user lives",
      status: 200,
      run: async (world) => {
        const soon = new Date(world.installation.clock.now + 1000).toISOString()
        await newManagementKey(world, "user-1", { expires_at: soon })
        await newManagementKey(world, "dora", { disabled: true })
        await newManagementKey(world, "eve")
        await add(world, "eve")
        const first = await world.call(id)
        assert.deepEqual(first.json.data, [
          member("dora"),
          member("eve", { role: "org:admin" }),
          member("user-1", { role: "org:admin" })
        ])
        world.installation.clock.now += 1000
        assert.strictEqual(nowIn(world), soon)
        return world.call(id)
      },
      check: ({ json }) =>
        assert.deepEqual(json.data, [member("dora"), member("eve", { role: "org:admin" }), member("user-1")])
    },
    {
      name: "a user is gone with the last key and membership",
      status: 200,
      run: async (world) => {
        await add(world, "ann")
        await world.call("deleteKey", { params: { hash: world.normalKeyHash } })
        await world.call("removeWorkspaceMembers", { params: { id: "default" }, body: { user_ids: ["ann"] } })
        return world.call(id)
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    {
      name: "an erased user is the pseudonym, as long as a disabled key names it",
      status: 200,
      run: async (world) => {
        const { hash } = (await world.call("createKey", { body: { name: "k", creator_user_id: "anna" } })).json.data
        await world.call("updateKey", { params: { hash }, body: { disabled: true } })
        const { pseudonym, id: erasure } = (await world.call("createErasure", { body: { user_id: "anna" } })).json.data
        assert.lengthOf((await world.call(id)).json.data, 2)
        await eraseDue(world)
        const { status } = (await world.call("getErasure", { params: { id: erasure } })).json.data
        assert.strictEqual(status, "succeeded")
        const page = await world.call(id)
        assert.deepEqual(page.json, { data: [member(pseudonym), member("user-1")], total_count: 2 })
        await world.call("deleteKey", { params: { hash } })
        return world.call(id)
      },
      check: ({ json }) => assert.deepEqual(json, { data: [member("user-1")], total_count: 1 })
    },
    ...managementOnly(id, () => ({})),
    storeGone("WorkspaceMembers", 500, (world) => world.call(id))
  ]
}
