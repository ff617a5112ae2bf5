import { keysPerPage } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import { newKeyHash, nowIn } from "./keyStates.ts"
import { withoutDefault } from "../http/withoutDefault.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const create = async (world: World, fields: object = {}) =>
  (await world.call("createKey", { body: { name: "One", ...fields } })).json.data

const hashesOf = (answer: { readonly json: { readonly data: readonly { readonly hash: string }[] } }) =>
  answer.json.data.map(({ hash }) => hash)

export const listKeys: CasesOf = {
  operation: "listKeys",
  cases: [
    {
      name: "as they are read one by one; no management key, no other account's",
      status: 200,
      run: async (world) => {
        await create(await world.other())
        await create(world, { limit: 3, limit_reset: "daily" })
        const listed = await world.call("listKeys")
        assert.lengthOf(listed.json.data, 2)
        for (const key of listed.json.data) {
          const read = await world.call("getKey", { params: { hash: key.hash } })
          assert.deepEqual(key, read.json.data)
        }
        return listed
      },
      check: ({ text }) => assert.notInclude(text, "total_count")
    },
    {
      name: "disabled ones only when they are asked for, expired ones always",
      status: 200,
      run: async (world) => {
        const disabled = await newKeyHash(world, { disabled: true })
        const expired = await newKeyHash(world, { expires_at: nowIn(world) })
        assert.sameMembers(hashesOf(await world.call("listKeys")), [world.normalKeyHash, expired])
        const without = await world.call("listKeys", { query: { include_disabled: "false" } })
        assert.sameMembers(hashesOf(without), [world.normalKeyHash, expired])
        const all = await world.call("listKeys", { query: { include_disabled: "true" } })
        assert.sameMembers(hashesOf(all), [world.normalKeyHash, expired, disabled])
        return all
      }
    },
    {
      name: "of a workspace, in capitals too",
      status: 200,
      run: async (world) => {
        const { id } = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data
        const made = await create(world, { workspace_id: id })
        const listed = await world.call("listKeys", { query: { workspace_id: id.toUpperCase() } })
        assert.deepEqual(hashesOf(listed), [made.hash])
        assert.deepEqual(hashesOf(await world.call("listKeys")), [world.normalKeyHash])
        return listed
      }
    },
    {
      name: "a hundred at a time in the order of creation, then of hashes",
      status: 200,
      run: async (world) => {
        const made: string[] = []
        for (let moment = 0; moment < 3; moment++) {
          world.installation.clock.now += 1
          const together = await Promise.all(Array.from({ length: 34 }, () => newKeyHash(world)))
          made.push(...together.toSorted())
        }
        const first = await world.call("listKeys")
        assert.deepEqual(hashesOf(first), [world.normalKeyHash, ...made.slice(0, keysPerPage - 1)])
        const second = await world.call("listKeys", { query: { offset: "100" } })
        assert.deepEqual(hashesOf(second), made.slice(keysPerPage - 1))
        for (const offset of ["103", "999999999999999"])
          assert.deepEqual(hashesOf(await world.call("listKeys", { query: { offset } })), [])
        assert.lengthOf(hashesOf(await world.call("listKeys", { query: { offset: "" } })), 100)
        return world.call("listKeys", { query: { offset: "null" } })
      },
      check: ({ json }) => assert.lengthOf(json.data, 100)
    },
    ...managementOnly("listKeys", () => ({})),
    refused("listKeys", "a negative offset", { query: { offset: "-1" } }, { path: "query.offset" }),
    refused(
      "listKeys",
      "a flag that is no boolean",
      { query: { include_disabled: "1" } },
      { path: "query.include_disabled" }
    ),
    refused(
      "listKeys",
      "a malformed workspace",
      { query: { workspace_id: "default" } },
      { path: "query.workspace_id" }
    ),
    refused(
      "listKeys",
      "a workspace nobody has",
      { query: { workspace_id: nobody } },
      { path: "query.workspace_id", reason: "unknown_workspace" }
    ),
    {
      name: "a workspace of another account",
      status: 400,
      run: async (world) => world.call("listKeys", { query: { workspace_id: (await world.other()).workspace_id } }),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "the default workspace was deleted",
      status: 400,
      run: async (world) => {
        await withoutDefault(world)
        return world.call("listKeys")
      },
      check: reasonIs("default_workspace_deleted")
    },
    storeGone("ApiKeys", 500, (world) => world.call("listKeys")),
    storeGone("KeyUsageReader", 500, (world) => world.call("listKeys"))
  ]
}
