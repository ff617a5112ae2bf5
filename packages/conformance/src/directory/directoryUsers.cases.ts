/** The cases of the operations on users of a directory. Rule: scim#directory-users, scim#deprovisioning. */
import { scimUrns } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type CasesOf, outcomeUnknown, reasonIs } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import { absent, callers, scimRefused } from "./directoryCases.ts"
import { keyOf, newGroup, newUser, nobody, patchOf, patchUser } from "./directoryStates.ts"
import { deprovisioned, lastKey, leavesNothing, patchedActive } from "./directoryUsers/deprovisioning.ts"
import { patchCases } from "./directoryUsers/patches.ts"
import { body, home, taken, unreadable, work } from "./directoryUsers/userFacts.ts"
import { userFilterCases } from "./userFilters.ts"

const params = { id: nobody }

export const directoryUserCases: readonly CasesOf[] = [
  {
    operation: "createDirectoryUser",
    cases: [
      {
        name: "with everything that directories tell, under SCIM's media type",
        status: 201,
        run: (world) =>
          world.call("createDirectoryUser", {
            headers: { "content-type": "application/scim+json; charset=utf-8" },
            body: {
              schemas: [scimUrns.user, scimUrns.enterpriseUser],
              UserName: "Ann@Example.com",
              externalId: "00u1",
              Active: "True",
              password: "never kept",
              name: { GivenName: "Ann", familyName: "Lee", shoeSize: "43" },
              emails: [work, home],
              groups: [{ value: "theirs" }],
              [scimUrns.enterpriseUser]: { department: "Research" }
            }
          }),
        check: async (answer, world) => {
          const { json, headers, text } = answer
          assert.match(headers.get("content-type") ?? "", /^application\/scim\+json/)
          assert.strictEqual(headers.get("location"), json.meta.location)
          assert.match(json.meta.location, new RegExp(`/scim/v2/Users/${json.id}$`))
          assert.notInclude(text, "never kept")
          assert.deepEqual(json, {
            schemas: [scimUrns.user, scimUrns.enterpriseUser],
            id: json.id,
            userName: "Ann@Example.com",
            externalId: "00u1",
            active: true,
            name: { givenName: "Ann", familyName: "Lee" },
            emails: [work, home],
            [scimUrns.enterpriseUser]: { department: "Research" },
            groups: [],
            meta: {
              resourceType: "User",
              created: nowIn(world),
              lastModified: nowIn(world),
              location: json.meta.location
            }
          })
          assert.deepEqual((await world.call("getDirectoryUser", { params: { id: json.id } })).json, json)
        }
      },
      {
        name: "the user of the account of that id, with address and names",
        status: 201,
        run: (world) =>
          world.call("createDirectoryUser", {
            body: { userName: "user-1", emails: [home, work], name: { givenName: "Ann", familyName: "Lee" } }
          }),
        check: async (_, world) => {
          const listed = await world.call("listOrganizationMembers")
          assert.deepEqual(listed.json.data, [
            { id: "user-1", email: work.value, first_name: "Ann", last_name: "Lee", role: "org:member" }
          ])
        }
      },
      {
        name: "in each account on its own",
        status: 201,
        run: async (world) => {
          await newUser(await world.other(), body)
          return world.call("createDirectoryUser", { body })
        }
      },
      {
        name: "who is not active loses what was held before",
        status: 201,
        run: async (world) => {
          const { status } = await keyOf(world, "ann")
          const answer = await world.call("createDirectoryUser", { body: { userName: "ann", active: false } })
          assert.strictEqual(await status(), 401)
          return answer
        }
      },
      {
        name: "only what is asked for",
        status: 201,
        run: (world) =>
          world.call("createDirectoryUser", { body: { ...body, title: "a" }, query: { attributes: "userName" } }),
        check: ({ json }) => assert.sameMembers(Object.keys(json), ["schemas", "id", "userName"])
      },
      taken("a name that is taken, in other letters", async (world) => {
        await newUser(world, body)
        return world.call("createDirectoryUser", { body: { userName: "ANN@example.com" } })
      }),
      taken("the first name of one who has another by now", async (world) => {
        const { id } = await newUser(world, body)
        await patchUser(world, id, { op: "replace", path: "userName", value: "lee" })
        return world.call("createDirectoryUser", { body })
      }),
      ...unreadable("createDirectoryUser"),
      scimRefused(
        "createDirectoryUser",
        "User",
        "the user that stands for none",
        { userName: "system" },
        "invalidValue"
      ),
      ...callers("createDirectoryUser", "DirectoryUsers", { body }),
      outcomeUnknown("DirectoryUsers", (world) => world.call("createDirectoryUser", { body }))
    ]
  },
  {
    operation: "getDirectoryUser",
    cases: [
      {
        name: "with groups, by name",
        status: 200,
        run: async (world) => {
          const user = await newUser(world)
          const group = await newGroup(world, [user])
          const answer = await world.call("getDirectoryUser", { params: { id: user.id.toUpperCase() } })
          assert.deepEqual(answer.json.groups, [
            { value: group.id, display: group.displayName, $ref: group.meta.location }
          ])
          return answer
        }
      },
      {
        name: "but some attributes",
        status: 200,
        run: async (world) =>
          world.call("getDirectoryUser", {
            params: { id: (await newUser(world, { name: { givenName: "Ann", familyName: "Lee" }, title: "a" })).id },
            query: { excludedAttributes: "groups, meta,name.familyName,nothing,id" }
          }),
        check: ({ json }) => {
          assert.sameMembers(Object.keys(json), ["schemas", "id", "userName", "active", "name", "title"])
          assert.deepEqual(json.name, { givenName: "Ann" })
        }
      },
      {
        name: "names of attributes beyond counting",
        status: 400,
        run: (world) => world.call("getDirectoryUser", { params, query: { attributes: "a".repeat(2_049) } }),
        check: reasonIs("invalid_request")
      },
      ...absent("getDirectoryUser", "User"),
      ...callers("getDirectoryUser", "DirectoryUsers", { params })
    ]
  },
  { operation: "listDirectoryUsers", cases: userFilterCases },
  {
    operation: "putDirectoryUser",
    cases: [
      {
        name: "what is not sent is removed, but active",
        status: 200,
        run: async (world) => {
          const { id } = await newUser(world, { ...body, externalId: "00u1", title: "a", active: false })
          world.installation.clock.now += 1000
          return world.call("putDirectoryUser", { params: { id }, body: { ...body, nickName: "b" } })
        },
        check: ({ json }, world) => {
          assert.containsAllKeys(json, ["nickName"])
          assert.doesNotHaveAnyKeys(json, ["title", "externalId"])
          assert.isFalse(json.active)
          assert.strictEqual(json.meta.lastModified, nowIn(world))
        }
      },
      {
        name: "another name; the user of the account stays the same",
        status: 200,
        run: async (world) => {
          const { id } = await newUser(world, { userName: "ann" })
          const answer = await world.call("putDirectoryUser", { params: { id }, body: { userName: "lee" } })
          await world.call("deleteKey", { params: { hash: world.normalKeyHash } })
          const { json } = await world.call("listOrganizationMembers")
          assert.deepEqual(
            json.data.map((user: { id: string }) => user.id),
            ["ann"]
          )
          return answer
        },
        check: ({ json }) => assert.strictEqual(json.userName, "lee")
      },
      deprovisioned("one who is not active any more", (world, id) =>
        world.call("putDirectoryUser", { params: { id }, body: { userName: "ann", active: false } })
      ),
      lastKey("one who is not active any more", (world, id, key) =>
        world.call("putDirectoryUser", { params: { id }, body: { userName: "ann", active: false }, key })
      ),
      taken("another name that is taken", async (world) => {
        await newUser(world, body)
        return world.call("putDirectoryUser", { params: { id: (await newUser(world)).id }, body })
      }),
      ...unreadable("putDirectoryUser"),
      ...absent("putDirectoryUser", "User", { body }),
      ...callers("putDirectoryUser", "DirectoryUsers", { params, body }),
      outcomeUnknown("DirectoryUsers", async (world) => world.call("putDirectoryUser", { params, body }))
    ]
  },
  {
    operation: "patchDirectoryUser",
    cases: [
      ...patchCases,
      ...patchedActive,
      ...absent("patchDirectoryUser", "User", { body: patchOf({ op: "remove", path: "title" }) }),
      ...callers("patchDirectoryUser", "DirectoryUsers", { params, body: patchOf({ op: "remove", path: "title" }) }),
      outcomeUnknown("DirectoryUsers", async (world) => patchUser(world, nobody, { op: "remove", path: "title" }))
    ]
  },
  {
    operation: "deleteDirectoryUser",
    cases: [
      {
        name: "with the place in every group, and may come again",
        status: 204,
        run: async (world) => {
          const ann = await newUser(world, body)
          const group = await newGroup(world, [ann])
          const answer = await world.call("deleteDirectoryUser", { params: { id: ann.id } })
          assert.strictEqual(answer.text, "")
          assert.deepEqual((await world.call("getDirectoryGroup", { params: { id: group.id } })).json.members, [])
          assert.notStrictEqual((await newUser(world, body)).id, ann.id)
          return answer
        }
      },
      deprovisioned("a deletion", (world, id) => world.call("deleteDirectoryUser", { params: { id } })),
      leavesNothing("a deletion", 204, (world, id) => world.call("deleteDirectoryUser", { params: { id } })),
      lastKey("a deletion", (world, id, key) => world.call("deleteDirectoryUser", { params: { id }, key })),
      ...absent("deleteDirectoryUser", "User"),
      ...callers("deleteDirectoryUser", "DirectoryUsers", { params }),
      outcomeUnknown("DirectoryUsers", (world) => world.call("deleteDirectoryUser", { params }))
    ]
  }
]
