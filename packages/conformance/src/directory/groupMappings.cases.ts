/** The cases of the operations on mappings of groups. Rule: scim#mappings, scim#memberships. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import { pageCases } from "../http/listCases.ts"
import type { Call, World } from "../World.ts"
import { addByHand, removeByHand, keyOf, map, newGroup, newUser, nobody, rolesIn } from "./directoryStates.ts"

const params = { id: nobody }

const callers = (operation: OperationId, call: Call = {}): readonly Case[] => [
  ...managementOnly(operation, () => call),
  storeGone("GroupMappings", 500, (world) => world.call(operation, call))
]

const absent = (operation: OperationId, call: Call = {}): readonly Case[] => {
  const of = (name: string, id: (world: World) => Promise<string>): Case => ({
    name,
    status: 404,
    run: async (world) => world.call(operation, { ...call, params: { id: await id(world) } }),
    check: reasonIs("not_found")
  })
  return [
    of("a mapping nobody made", async () => nobody),
    of("a mapping of another account", async (world) => {
      const other = await world.other()
      return (await map(other, await newGroup(other))).id
    }),
    of("a mapping of a deleted workspace", async (world) => {
      const { id } = (await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })).json.data
      const mapping = await map(world, await newGroup(world), "member", id)
      await world.call("deleteWorkspace", { params: { id } })
      return mapping.id
    }),
    of("no id", async () => "me")
  ]
}

const create = (world: World, fields: object) => world.call("createGroupMapping", { body: fields })

/** A group of Ann, who is mapped as a member, and a key of hers in the workspace. */
const annMapped = async (world: World) => {
  const ann = await newUser(world, { userName: "ann" })
  const group = await newGroup(world, [ann])
  return { group, mapping: await map(world, group), key: await keyOf(world, "ann") }
}

const whole = { scim_group_id: nobody, workspace_id: nobody, role: "member" }

export const groupMappingCases: readonly CasesOf[] = [
  {
    operation: "createGroupMapping",
    cases: [
      {
        name: "its members become members of the workspace, those who are not active do not",
        status: 200,
        run: async (world) => {
          const members = [
            await newUser(world, { userName: "ann" }),
            await newUser(world, { userName: "bob", active: false })
          ]
          const group = await newGroup(world, members)
          const answer = await create(world, {
            scim_group_id: group.id,
            workspace_id: world.workspace_id,
            role: "admin"
          })
          assert.deepEqual(await rolesIn(world), { ann: "admin" })
          assert.deepEqual(answer.json.data, {
            id: answer.json.data.id,
            organization_id: world.account_id,
            scim_group_id: group.id,
            workspace_id: world.workspace_id,
            role: "admin",
            created_at: nowIn(world),
            updated_at: nowIn(world)
          })
          return answer
        }
      },
      {
        name: "who was added by hand is the directory's from then on",
        status: 200,
        run: async (world) => {
          await addByHand(world, "default", "ann")
          const group = await newGroup(world, [await newUser(world, { userName: "ann" })])
          const answer = await create(world, {
            scim_group_id: group.id,
            workspace_id: world.workspace_id,
            role: "admin"
          })
          assert.deepEqual(await rolesIn(world), { ann: "admin" })
          const removed = await removeByHand(world, "default", "ann")
          reasonIs("member_of_directory")(removed)
          assert.deepEqual(await rolesIn(world), { ann: "admin" })
          return answer
        }
      },
      {
        name: "the mapping that is there with the same role",
        status: 200,
        run: async (world) => {
          const { group, mapping } = await annMapped(world)
          world.installation.clock.now += 1000
          const answer = await create(world, {
            scim_group_id: group.id,
            workspace_id: world.workspace_id,
            role: "member"
          })
          assert.deepEqual(answer.json.data, mapping)
          return answer
        }
      },
      {
        name: "the higher role of two mappings",
        status: 200,
        run: async (world) => {
          const ann = await newUser(world, { userName: "ann" })
          const groups = [await newGroup(world, [ann]), await newGroup(world, [ann])]
          await map(world, groups[0], "admin")
          const answer = await create(world, {
            scim_group_id: groups[1].id,
            workspace_id: world.workspace_id,
            role: "member"
          })
          assert.deepEqual(await rolesIn(world), { ann: "admin" })
          await world.call("deleteDirectoryGroup", { params: { id: groups[0].id } })
          assert.deepEqual(await rolesIn(world), { ann: "member" })
          return answer
        }
      },
      {
        name: "the mapping that is there has another role",
        status: 409,
        run: async (world) => {
          const { group } = await annMapped(world)
          const answer = await create(world, {
            scim_group_id: group.id,
            workspace_id: world.workspace_id,
            role: "admin"
          })
          assert.deepEqual(await rolesIn(world), { ann: "member" })
          return answer
        },
        check: reasonIs("mapping_exists")
      },
      ...Object.entries({ scim_group_id: "me", workspace_id: "default", role: "owner" }).map(([name, value]) =>
        refused("createGroupMapping", `no ${name}`, { body: { ...whole, [name]: value } }, { path: name })
      ),
      {
        name: "a workspace of another account",
        status: 400,
        run: async (world) =>
          create(world, {
            ...whole,
            scim_group_id: (await newGroup(world)).id,
            workspace_id: (await world.other()).workspace_id
          }),
        check: reasonIs("unknown_workspace")
      },
      {
        name: "a group of another account",
        status: 404,
        run: async (world) =>
          create(world, {
            ...whole,
            scim_group_id: (await newGroup(await world.other())).id,
            workspace_id: world.workspace_id
          }),
        check: reasonIs("not_found")
      },
      ...callers("createGroupMapping", { body: whole }),
      outcomeUnknown("GroupMappings", (world) => create(world, whole))
    ]
  },
  {
    operation: "listGroupMappings",
    cases: [
      ...pageCases("listGroupMappings", async (world) => (await map(world, await newGroup(world))).id),
      ...callers("listGroupMappings")
    ]
  },
  {
    operation: "getGroupMapping",
    cases: [
      {
        name: "as it was made",
        status: 200,
        run: async (world) => {
          const mapping = await map(world, await newGroup(world))
          const answer = await world.call("getGroupMapping", { params: { id: mapping.id.toUpperCase() } })
          assert.deepEqual(answer.json.data, mapping)
          return answer
        }
      },
      ...absent("getGroupMapping"),
      ...callers("getGroupMapping", { params })
    ]
  },
  {
    operation: "updateGroupMapping",
    cases: [
      {
        name: "the role of its members",
        status: 200,
        run: async (world) => {
          const { mapping } = await annMapped(world)
          world.installation.clock.now += 1000
          const answer = await world.call("updateGroupMapping", { params: { id: mapping.id }, body: { role: "admin" } })
          assert.deepEqual(answer.json.data, { ...mapping, role: "admin", updated_at: nowIn(world) })
          assert.deepEqual(await rolesIn(world), { ann: "admin" })
          return answer
        }
      },
      {
        name: "the role that it has",
        status: 200,
        run: async (world) => {
          const { mapping } = await annMapped(world)
          world.installation.clock.now += 1000
          const answer = await world.call("updateGroupMapping", {
            params: { id: mapping.id },
            body: { role: "member" }
          })
          assert.deepEqual(answer.json.data, mapping)
          return answer
        }
      },
      refused("updateGroupMapping", "a role there is not", { params, body: { role: "owner" } }, { path: "role" }),
      ...absent("updateGroupMapping", { body: { role: "admin" } }),
      ...callers("updateGroupMapping", { params, body: { role: "admin" } }),
      outcomeUnknown("GroupMappings", (world) => world.call("updateGroupMapping", { params, body: { role: "admin" } }))
    ]
  },
  {
    operation: "deleteGroupMapping",
    cases: [
      {
        name: "the memberships that it gave end, and the keys there are disabled",
        status: 200,
        run: async (world) => {
          const { mapping, key } = await annMapped(world)
          const answer = await world.call("deleteGroupMapping", {
            params: { id: mapping.id },
            query: { keep_members: "false" }
          })
          assert.deepEqual([await rolesIn(world), await key.status()], [{}, 401])
          return answer
        }
      },
      {
        name: "the memberships are kept as if they were added by hand",
        status: 200,
        run: async (world) => {
          const { mapping, key } = await annMapped(world)
          const answer = await world.call("deleteGroupMapping", {
            params: { id: mapping.id },
            query: { keep_members: "true" }
          })
          assert.deepEqual([await rolesIn(world), await key.status()], [{ ann: "member" }, 200])
          await world.call("deleteKey", { params: { hash: key.hash } })
          const removed = await removeByHand(world, "default", "ann")
          assert.deepEqual(removed.json, { removed_count: 1 })
          return answer
        }
      },
      {
        name: "what another mapping gives stays the directory's",
        status: 200,
        run: async (world) => {
          const ann = await newUser(world, { userName: "ann" })
          const mapping = await map(world, await newGroup(world, [ann]))
          await map(world, await newGroup(world, [ann]))
          const answer = await world.call("deleteGroupMapping", {
            params: { id: mapping.id },
            query: { keep_members: "true" }
          })
          const removed = await removeByHand(world, "default", "ann")
          reasonIs("member_of_directory")(removed)
          return answer
        }
      },
      refused("deleteGroupMapping", "whether members are kept is not said", { params }, { path: "query.keep_members" }),
      refused("deleteGroupMapping", "neither kept nor not", { params, query: { keep_members: "1" } }, {}),
      ...absent("deleteGroupMapping", { query: { keep_members: "true" } }),
      ...callers("deleteGroupMapping", { params, query: { keep_members: "true" } }),
      outcomeUnknown("GroupMappings", (world) =>
        world.call("deleteGroupMapping", { params, query: { keep_members: "true" } })
      )
    ]
  },
  {
    operation: "listMappableGroups",
    cases: [
      ...pageCases("listMappableGroups", async (world) => (await newGroup(world)).id),
      {
        name: "as the directory names them",
        status: 200,
        run: async (world) => {
          const { id } = await newGroup(world, [], { displayName: "Research", externalId: "1" })
          const answer = await world.call("listMappableGroups")
          const at = nowIn(world)
          assert.deepEqual(answer.json.data, [
            {
              id,
              organization_id: world.account_id,
              display_name: "Research",
              external_id: "1",
              created_at: at,
              updated_at: at
            }
          ])
          return answer
        }
      },
      ...managementOnly("listMappableGroups", () => ({})),
      storeGone("DirectoryGroups", 500, (world) => world.call("listMappableGroups"))
    ]
  }
]
