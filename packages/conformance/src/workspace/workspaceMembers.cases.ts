/** The cases of the three operations on the members of a workspace. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type Case, type CasesOf, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import { pageCases } from "../http/listCases.ts"
import { workspaceCases } from "./workspaceCases.ts"

const params = { id: "default" }

const send = (world: World, operation: OperationId, user_ids: unknown) =>
  world.call(operation, { params, body: { user_ids } })
const add = (world: World, ...user_ids: readonly string[]) => send(world, "addWorkspaceMembers", user_ids)
const remove = (world: World, ...user_ids: readonly string[]) => send(world, "removeWorkspaceMembers", user_ids)

const members = async (world: World): Promise<readonly string[]> =>
  (await world.call("listWorkspaceMembers", { params })).json.data.map((item: { user_id: string }) => item.user_id)

const changing = (operation: OperationId): readonly Case[] => [
  ...Object.entries({
    "no user": [],
    "no list": undefined,
    "an empty name": [""],
    "a name of 257 characters": ["u".repeat(257)],
    "101 users": Array.from({ length: 101 }, (_, index) => `user-${index}`)
  }).map(([name, user_ids]) =>
    refused(operation, name, { params, body: { user_ids } }, name.includes("name") ? {} : { path: "user_ids" })
  ),
  ...workspaceCases(operation, { body: { user_ids: ["user-1"] } }),
  storeGone("WorkspaceMembers", 500, (world) => send(world, operation, ["user-1"])),
  outcomeUnknown("WorkspaceMembers", (world) => send(world, operation, ["user-1"]))
]

let added = 0

export const workspaceMemberCases: readonly CasesOf[] = [
  {
    operation: "addWorkspaceMembers",
    cases: [
      {
        name: "with the role that every member has",
        status: 200,
        run: (world) => world.call("addWorkspaceMembers", { params, body: { user_ids: ["ann"], role: "member" } }),
        check: ({ json }) => assert.strictEqual(json.data[0].role, "member")
      },
      refused(
        "addWorkspaceMembers",
        "a role that only the directory gives",
        { params, body: { user_ids: ["ann"], role: "admin" } },
        { path: "role" }
      ),
      refused(
        "addWorkspaceMembers",
        "the user that stands for none",
        { params, body: { user_ids: ["ann", "system"] } },
        { path: "user_ids.1" }
      ),
      {
        name: "several, one of them twice; by id",
        status: 200,
        run: (world) =>
          world.call("addWorkspaceMembers", {
            params: { id: world.workspace_id },
            body: { user_ids: ["ann", "bob é", "ann"] }
          }),
        check: async ({ json: { added_count, data } }, world) => {
          assert.strictEqual(added_count, 2)
          assert.sameMembers(
            data.map((item: { user_id: string }) => item.user_id),
            ["ann", "bob é"]
          )
          for (const item of data)
            assert.deepInclude(item, { workspace_id: world.workspace_id, role: "member", created_at: nowIn(world) })
          const listed = await world.call("listWorkspaceMembers", { params })
          assert.deepEqual(listed.json, { data, total_count: 2 })
        }
      },
      {
        name: "one who is a member stays as is",
        status: 200,
        run: async (world) => {
          const first = (await add(world, "ann")).json.data[0]
          world.installation.clock.now += 1000
          const answer = await add(world, "bob", "ann")
          assert.deepEqual(answer.json.data[0], first)
          return answer
        },
        check: ({ json }) => {
          assert.strictEqual(json.added_count, 1)
          assert.lengthOf(json.data, 2)
        }
      },
      {
        name: "from then on the user exists, here and in no other account",
        status: 200,
        run: async (world) => {
          const assign = async (there: World) => {
            const made = await there.call("createGuardrail", { body: { name: "One" } })
            const body = { member_user_ids: ["ann"] }
            return (await there.call("assignMembers", { params: { id: made.json.data.id }, body })).status
          }
          assert.strictEqual(await assign(world), 400)
          const answer = await add(world, "ann")
          assert.strictEqual(await assign(world), 200)
          assert.strictEqual(await assign(await world.other()), 400)
          return answer
        }
      },
      {
        name: "a hundred",
        status: 200,
        run: (world) => add(world, ...Array.from({ length: 100 }, (_, index) => `user-${index}`)),
        check: ({ json }) => assert.strictEqual(json.added_count, 100)
      },
      ...changing("addWorkspaceMembers")
    ]
  },
  {
    operation: "removeWorkspaceMembers",
    cases: [
      {
        name: "members; whoever is none is not counted",
        status: 200,
        run: async (world) => {
          await add(world, "ann", "bob")
          const answer = await remove(world, "ann", "user-1", "nobody", "ann")
          assert.deepEqual(await members(world), ["bob"])
          return answer
        },
        check: ({ json }) => assert.deepEqual(json, { removed_count: 1 })
      },
      {
        name: "one whose key here has ended, and one whose key is elsewhere",
        status: 200,
        run: async (world) => {
          await add(world, "user-1", "ann")
          await world.call("updateKey", { params: { hash: world.normalKeyHash }, body: { disabled: true } })
          const { id } = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data
          await world.call("createKey", { body: { name: "there", creator_user_id: "ann", workspace_id: id } })
          return remove(world, "user-1", "ann")
        },
        check: ({ json }) => assert.deepEqual(json, { removed_count: 2 })
      },
      {
        name: "one with an active key here: all or none",
        status: 400,
        run: async (world) => {
          await add(world, "user-1", "ann")
          const answer = await remove(world, "ann", "user-1")
          assert.sameMembers([...(await members(world))], ["ann", "user-1"])
          return answer
        },
        check: reasonIs("member_has_keys")
      },
      ...changing("removeWorkspaceMembers")
    ]
  },
  {
    operation: "listWorkspaceMembers",
    cases: [
      ...pageCases(
        "listWorkspaceMembers",
        async (world) => (await add(world, `user ${++added}`)).json.data[0].id,
        () => ({ params })
      ),
      {
        name: "of this workspace alone",
        status: 200,
        run: async (world) => {
          await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
          await add(world, "ann")
          return world.call("listWorkspaceMembers", { params: { id: "second" } })
        },
        check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
      },
      ...workspaceCases("listWorkspaceMembers"),
      storeGone("WorkspaceMembers", 500, (world) => world.call("listWorkspaceMembers", { params }))
    ]
  }
]
