/** The cases of the operations on groups of a directory. Rule: scim#directory-groups, scim#memberships. */
import { scimUrns } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, storeGone } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { absent, callers, scimRefused } from "./directoryCases.ts"
import { keyOf, map, membersOf, newGroup, newUser, nobody, patchGroup, patchOf, rolesIn } from "./directoryStates.ts"

const body = { displayName: "Research" }
const params = { id: nobody }

const refusals = (operation: "createDirectoryGroup" | "putDirectoryGroup"): readonly Case[] => [
  ...Object.entries({
    "no name": {},
    "an empty name": { displayName: "" },
    "a name of 257 characters": { displayName: "g".repeat(257) },
    "an external id of 257 characters": { ...body, externalId: "g".repeat(257) },
    "members that are no list": { ...body, members: 7 },
    "a user nobody made": { ...body, members: [{ value: nobody }] },
    "a member that is no id": { ...body, members: [{ value: "ann" }] },
    "10,001 members": { ...body, members: Array.from({ length: 10_001 }, () => ({ value: nobody })) }
  }).map(([name, sent]) => scimRefused(operation, "Group", name, sent, "invalidValue")),
  {
    name: "a user of another account",
    status: 400,
    run: async (world) => {
      const stranger = await newUser(await world.other())
      const { id } = await newGroup(world)
      const call = { body: { ...body, members: [{ value: stranger.id }] } }
      return world.call(operation, operation === "putDirectoryGroup" ? { ...call, params: { id } } : call)
    },
    check: reasonIs("invalid_request")
  }
]

const taken = (name: string, run: Case["run"]): Case => ({
  name,
  status: 409,
  run,
  check: ({ json }) => assert.strictEqual(json.scimType, "uniqueness")
})

type Named = Readonly<Record<"ann" | "bob" | "cleo", string>>

/** Who is in the group of Ann and Bob after the operations. */
const moves = (
  name: string,
  operations: (ids: Named) => readonly object[],
  ...expected: readonly (keyof Named)[]
): Case => ({
  name,
  status: 204,
  run: async (world) => {
    const [ann, bob, cleo] = [await newUser(world), await newUser(world), await newUser(world)]
    const group = await newGroup(world, [ann, bob])
    const ids: Named = { ann: ann.id, bob: bob.id, cleo: cleo.id }
    const answer = await patchGroup(world, group.id, ...operations(ids))
    assert.sameMembers(
      [...(await membersOf(world, group.id))],
      expected.map((one) => ids[one])
    )
    return answer
  },
  check: ({ text }) => assert.strictEqual(text, "")
})

const moving: readonly Case[] = [
  moves(
    "a member comes",
    ({ cleo }) => [{ op: "add", path: "members", value: [{ value: cleo }] }],
    "ann",
    "bob",
    "cleo"
  ),
  moves(
    "one who is there comes again",
    ({ bob }) => [{ op: "Add", path: "members", value: [{ value: bob }] }],
    "ann",
    "bob"
  ),
  moves("a selected member goes", ({ bob }) => [{ op: "remove", path: `members[value eq "${bob}"]` }], "ann"),
  moves("two selected members go", ({ ann, bob }) => [
    { op: "remove", path: `members[value eq "${ann}" or value eq "${bob.toUpperCase()}"]` }
  ]),
  moves(
    "as Entra ID does: members to remove in the value",
    ({ bob }) => [{ op: "Remove", path: "members", value: [{ value: bob }] }],
    "ann"
  ),
  moves(
    "as Okta does: a whole list without a path",
    ({ cleo }) => [{ op: "replace", value: { members: [{ value: cleo }], id: "theirs" } }],
    "cleo"
  ),
  moves("nobody is left", () => [{ op: "remove", path: "members" }]),
  moves(
    "all are replaced",
    ({ ann, cleo }) => [{ op: "replace", path: "members", value: [{ value: ann }, { value: cleo }] }],
    "ann",
    "cleo"
  ),
  moves("replaced by nobody", () => [{ op: "replace", path: "members", value: [] }]),
  moves(
    "one who is not there goes",
    ({ cleo }) => [{ op: "remove", path: `members[value eq "${cleo}"]` }],
    "ann",
    "bob"
  ),
  moves(
    "one operation after the other",
    ({ ann, bob, cleo }) => [
      { op: "remove", path: "members" },
      { op: "add", path: "members", value: [{ value: cleo }, { value: bob }] },
      { op: "remove", path: `members[value eq "${cleo}"]` },
      { op: "add", path: "members", value: { value: ann } }
    ],
    "ann",
    "bob"
  )
]

const unpatchable = (name: string, operation: object, scimType: string): Case =>
  scimRefused("patchDirectoryGroup", "Group", name, patchOf(operation), scimType)

const listing = "listDirectoryGroups"

const finds = (filter: (ids: Named) => string, ...names: readonly string[]): Case => ({
  name: `finds ${names.length === 0 ? "none" : names.join(", ")}: ${filter({ ann: "Ann", bob: "Bob", cleo: "Cleo" })}`,
  status: 200,
  run: async (world) => {
    const [ann, bob, cleo] = [await newUser(world), await newUser(world), await newUser(world)]
    await newGroup(world, [ann], { displayName: "One", externalId: "1" })
    await newGroup(world, [ann, bob], { displayName: "Two" })
    await newGroup(world, [], { displayName: "Three" })
    return world.call(listing, { query: { filter: filter({ ann: ann.id, bob: bob.id, cleo: cleo.id }) } })
  },
  check: ({ json }) => {
    assert.sameMembers(
      json.Resources.map(({ displayName }: { displayName: string }) => displayName),
      [...names]
    )
  }
})

export const directoryGroupCases: readonly CasesOf[] = [
  {
    operation: "createDirectoryGroup",
    cases: [
      {
        name: "with members, one of them twice",
        status: 201,
        run: async (world) => {
          const ann = await newUser(world)
          const answer = await world.call("createDirectoryGroup", {
            headers: { "content-type": "application/scim+json" },
            body: {
              ...body,
              externalId: "00g1",
              members: [{ value: ann.id }, { value: ann.id.toUpperCase(), type: "User" }]
            }
          })
          assert.deepEqual(answer.json, {
            schemas: [scimUrns.group],
            id: answer.json.id,
            ...body,
            externalId: "00g1",
            members: [{ value: ann.id, display: ann.userName, $ref: ann.meta.location }],
            meta: {
              resourceType: "Group",
              created: nowIn(world),
              lastModified: nowIn(world),
              location: answer.json.meta.location
            }
          })
          assert.strictEqual(answer.headers.get("location"), answer.json.meta.location)
          return answer
        }
      },
      taken("a name that is taken, in other letters", async (world) => {
        await newGroup(world, [], body)
        return world.call("createDirectoryGroup", { body: { displayName: "rESEARCH" } })
      }),
      ...refusals("createDirectoryGroup"),
      ...callers("createDirectoryGroup", "DirectoryGroups", { body }),
      outcomeUnknown("DirectoryGroups", (world) => world.call("createDirectoryGroup", { body }))
    ]
  },
  {
    operation: "getDirectoryGroup",
    cases: [
      {
        name: "without members, if they are excluded",
        status: 200,
        run: async (world) =>
          world.call("getDirectoryGroup", {
            params: { id: (await newGroup(world, [await newUser(world)])).id },
            query: { excludedAttributes: "Members" }
          }),
        check: ({ json }) => assert.notProperty(json, "members")
      },
      {
        name: "names of attributes beyond counting",
        status: 400,
        run: (world) => world.call("getDirectoryGroup", { params, query: { excludedAttributes: "a".repeat(2_049) } }),
        check: reasonIs("invalid_request")
      },
      ...absent("getDirectoryGroup", "Group"),
      ...callers("getDirectoryGroup", "DirectoryGroups", { params })
    ]
  },
  {
    operation: listing,
    cases: [
      finds(() => 'displayName eq "two"', "Two"),
      finds(() => 'externalId eq "1"', "One"),
      finds(() => 'displayName sw "t"', "Two", "Three"),
      finds(({ ann }) => `members.value eq "${ann}"`, "One", "Two"),
      finds(({ bob }) => `members eq "${bob}"`, "Two"),
      finds(({ ann }) => `members[value eq "${ann}"] and displayName eq "one"`, "One"),
      finds(({ ann, bob }) => `members.value eq "${ann}" and members.value eq "${bob}"`, "Two"),
      finds(({ cleo }) => `members.value eq "${cleo}"`),
      finds(({ ann }) => `not (members.value eq "${ann}")`, "Three"),
      ...['members.value co "a"', "members pr", 'members[display eq "a"]', 'members.value ne "a"'].map((filter) => ({
        name: `not what members can be compared by: ${filter}`,
        status: 400,
        run: (world: World) => world.call(listing, { query: { filter } }),
        check: reasonIs("invalid_filter")
      })),
      {
        name: "with members and without, a page at a time",
        status: 200,
        run: async (world) => {
          await newGroup(world, [await newUser(world)])
          world.installation.clock.now += 1
          await newGroup(world)
          const bare = await world.call(listing, { query: { excludedAttributes: "members" } })
          for (const group of bare.json.Resources) assert.notProperty(group, "members")
          const second = await world.call(listing, { query: { startIndex: "2", count: "1" } })
          assert.deepInclude(second.json, { totalResults: 2, startIndex: 2, itemsPerPage: 1 })
          assert.deepEqual(second.json.Resources[0].members, [])
          return world.call(listing)
        },
        check: ({ json }) => {
          assert.strictEqual(json.totalResults, 2)
          assert.lengthOf(json.Resources[0].members, 1)
        }
      },
      ...managementOnly(listing, () => ({})),
      storeGone("DirectoryGroups", 500, (world) => world.call(listing))
    ]
  },
  {
    operation: "putDirectoryGroup",
    cases: [
      {
        name: "names and members; what is not sent is removed",
        status: 200,
        run: async (world) => {
          const [ann, bob] = [await newUser(world), await newUser(world)]
          const { id } = await newGroup(world, [ann], { externalId: "1" })
          const answer = await world.call("putDirectoryGroup", {
            params: { id },
            body: { ...body, members: [{ value: bob.id }] }
          })
          assert.deepEqual(await membersOf(world, id), [bob.id])
          return answer
        },
        check: ({ json }) => {
          assert.strictEqual(json.displayName, body.displayName)
          assert.lengthOf(json.members, 1)
          assert.notProperty(json, "externalId")
        }
      },
      {
        name: "who leaves a mapped group leaves the workspace, and the keys there are disabled",
        status: 200,
        run: async (world) => {
          const [ann, bob] = [await newUser(world, { userName: "ann" }), await newUser(world, { userName: "bob" })]
          const group = await newGroup(world, [ann, bob])
          await map(world, group)
          const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data
            .id
          const keys = [await keyOf(world, "ann"), await keyOf(world, "ann", second), await keyOf(world, "bob")]
          const members = [{ value: bob.id }]
          const answer = await world.call("putDirectoryGroup", { params: { id: group.id }, body: { ...body, members } })
          assert.deepEqual(await rolesIn(world), { bob: "member" })
          assert.deepEqual(await Promise.all(keys.map(({ status }) => status())), [401, 200, 200])
          return answer
        }
      },
      taken("another name that is taken", async (world) => {
        await newGroup(world, [], body)
        return world.call("putDirectoryGroup", { params: { id: (await newGroup(world)).id }, body })
      }),
      ...refusals("putDirectoryGroup"),
      ...absent("putDirectoryGroup", "Group", { body }),
      ...callers("putDirectoryGroup", "DirectoryGroups", { params, body }),
      outcomeUnknown("DirectoryGroups", (world) => world.call("putDirectoryGroup", { params, body }))
    ]
  },
  {
    operation: "patchDirectoryGroup",
    cases: [
      ...moving,
      {
        name: "another name and external id",
        status: 204,
        run: async (world) => {
          const { id } = await newGroup(world)
          world.installation.clock.now += 1000
          const answer = await patchGroup(
            world,
            id,
            { op: "replace", value: { displayName: "Lab" } },
            { op: "add", path: "externalId", value: "1" }
          )
          const { json } = await world.call("getDirectoryGroup", { params: { id } })
          assert.deepInclude(json, { displayName: "Lab", externalId: "1" })
          assert.strictEqual(json.meta.lastModified, nowIn(world))
          return answer
        }
      },
      {
        name: "another name and members, within the name of the schema",
        status: 204,
        run: async (world) => {
          const [{ id }, { id: value }] = [await newGroup(world), await newUser(world)]
          const sent = { displayName: "Lab", members: [{ value }] }
          const answer = await patchGroup(world, id, { op: "replace", value: { [scimUrns.group]: sent } })
          const { json } = await world.call("getDirectoryGroup", { params: { id } })
          assert.strictEqual(json.displayName, "Lab")
          assert.deepEqual([...(await membersOf(world, id))], [value])
          return answer
        }
      },
      {
        name: "many at once: nobody is lost",
        status: 204,
        run: async (world) => {
          const { id } = await newGroup(world)
          const users = await Promise.all(Array.from({ length: 12 }, () => newUser(world)))
          const answers = await Promise.all(
            users.map((user) => patchGroup(world, id, { op: "add", path: "members", value: [{ value: user.id }] }))
          )
          assert.sameMembers(
            [...(await membersOf(world, id))],
            users.map((user) => user.id)
          )
          return answers[0] ?? assert.fail()
        }
      },
      {
        name: "a member of a mapped group comes and goes: the workspace with the role",
        status: 204,
        run: async (world) => {
          const ann = await newUser(world, { userName: "ann" })
          const group = await newGroup(world)
          await map(world, group, "admin")
          await patchGroup(world, group.id, { op: "add", path: "members", value: [{ value: ann.id }] })
          assert.deepEqual(await rolesIn(world), { ann: "admin" })
          const { status } = await keyOf(world, "ann")
          const answer = await patchGroup(world, group.id, { op: "remove", path: `members[value eq "${ann.id}"]` })
          assert.deepEqual([await rolesIn(world), await status()], [{}, 401])
          return answer
        }
      },
      unpatchable("a user nobody made", { op: "add", path: "members", value: [{ value: nobody }] }, "invalidValue"),
      unpatchable("no members", { op: "add", path: "members", value: "" }, "invalidValue"),
      unpatchable("an attribute there is not", { op: "add", path: "color", value: "red" }, "invalidPath"),
      unpatchable("a part of members", { op: "replace", path: "members.value", value: nobody }, "invalidPath"),
      unpatchable("members by name", { op: "remove", path: 'members[display eq "ann"]' }, "invalidFilter"),
      unpatchable("the name of a member", { op: "add", path: "members.display", value: "a" }, "mutability"),
      unpatchable("no name", { op: "remove", path: "displayName" }, "mutability"),
      unpatchable("an empty name", { op: "replace", path: "displayName", value: "" }, "invalidValue"),
      taken("another name that is taken", async (world) => {
        await newGroup(world, [], body)
        return patchGroup(world, (await newGroup(world)).id, { op: "replace", path: "displayName", value: "research" })
      }),
      ...absent("patchDirectoryGroup", "Group", { body: patchOf({ op: "remove", path: "members" }) }),
      ...callers("patchDirectoryGroup", "DirectoryGroups", {
        params,
        body: patchOf({ op: "remove", path: "members" })
      }),
      outcomeUnknown("DirectoryGroups", async (world) => patchGroup(world, nobody, { op: "remove", path: "members" }))
    ]
  },
  {
    operation: "deleteDirectoryGroup",
    cases: [
      {
        name: "with its mapping, and the memberships that it gave alone",
        status: 204,
        run: async (world) => {
          const [ann, bob] = [await newUser(world, { userName: "ann" }), await newUser(world, { userName: "bob" })]
          const group = await newGroup(world, [ann, bob])
          await map(world, group, "admin")
          await map(world, await newGroup(world, [bob]))
          const answer = await world.call("deleteDirectoryGroup", { params: { id: group.id } })
          assert.deepEqual(await rolesIn(world), { bob: "member" })
          assert.strictEqual((await world.call("listGroupMappings")).json.total_count, 1)
          return answer
        }
      },
      ...absent("deleteDirectoryGroup", "Group"),
      ...callers("deleteDirectoryGroup", "DirectoryGroups", { params }),
      outcomeUnknown("DirectoryGroups", (world) => world.call("deleteDirectoryGroup", { params }))
    ]
  }
]
