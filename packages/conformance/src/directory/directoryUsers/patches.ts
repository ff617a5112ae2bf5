/** What a PATCH of a user of a directory does, and what it refuses. Rule: scim#patches. */
import { scimUrns } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { scimRefused } from "../directoryCases.ts"
import { newUser, patchOf, patchUser } from "../directoryStates.ts"
import { home, taken, work } from "./userFacts.ts"

const patched = (
  name: string,
  before: object,
  operations: readonly object[],
  expected: Readonly<Record<string, unknown>>
): Case => ({
  name,
  status: 200,
  run: async (world) => patchUser(world, (await newUser(world, before)).id, ...operations),
  check: ({ json }) => {
    for (const [attribute, value] of Object.entries(expected)) assert.deepEqual(json[attribute], value, attribute)
  }
})

const unpatchable = (name: string, operations: unknown, scimType: string): Case =>
  scimRefused("patchDirectoryUser", "User", name, { ...patchOf(), Operations: operations }, scimType)

/** What Microsoft Entra ID and Okta send, as their documentation shows it. */
const asDirectoriesPatch: readonly Case[] = [
  patched(
    "as Entra ID does: operations in capitals, and a boolean that is a text",
    { active: true },
    [{ op: "Replace", path: "active", value: "False" }],
    { active: false }
  ),
  patched(
    "as Entra ID does: an address that is not there is added with its type",
    {},
    [{ op: "Add", path: 'emails[type eq "work"].value', value: "ann@work.example" }],
    { emails: [{ type: "work", value: "ann@work.example" }] }
  ),
  patched(
    "as Entra ID does: an address that is not there is replaced",
    {},
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "ann@work.example" }],
    { emails: [{ type: "work", value: "ann@work.example" }] }
  ),
  patched(
    "as Entra ID does: one value of several",
    { emails: [work, home] },
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "lee@work.example" }],
    { emails: [{ ...work, value: "lee@work.example" }, home] }
  ),
  patched(
    "as Entra ID does: attributes by the name of their schema, and a manager by id alone",
    {},
    [
      { op: "Add", path: `${scimUrns.enterpriseUser}:department`, value: "Research" },
      { op: "Add", path: `${scimUrns.enterpriseUser}:manager`, value: "7" }
    ],
    {
      schemas: [scimUrns.user, scimUrns.enterpriseUser],
      [scimUrns.enterpriseUser]: { department: "Research", manager: { value: "7" } }
    }
  ),
  patched(
    "as Entra ID does: names with dots in the value",
    { name: { givenName: "Ann", familyName: "Lee" } },
    [
      {
        op: "replace",
        value: { "name.familyName": "Li", displayName: "Ann Li", [`${scimUrns.enterpriseUser}:costCenter`]: "4" }
      }
    ],
    {
      name: { givenName: "Ann", familyName: "Li" },
      displayName: "Ann Li",
      [scimUrns.enterpriseUser]: { costCenter: "4" }
    }
  ),
  patched(
    "as Okta does: without a path, with the id beside",
    { active: true },
    [{ op: "replace", value: { id: "theirs", active: false } }],
    { active: false }
  )
]

export const patchCases: readonly Case[] = [
  ...asDirectoriesPatch,
  patched(
    "a part of a name; others stay",
    { name: { givenName: "Ann", familyName: "Lee" } },
    [{ op: "replace", path: "name.familyName", value: "Li" }],
    {
      name: { givenName: "Ann", familyName: "Li" }
    }
  ),
  patched("whatever the case of the names", {}, [{ OP: "ADD", Path: "DISPLAYNAME", Value: "Ann" }], {
    displayName: "Ann"
  }),
  patched(
    "several operations, one after the other",
    { title: "a" },
    [
      { op: "replace", path: "title", value: "b" },
      { op: "remove", path: "title" },
      { op: "add", path: "nickName", value: "c" }
    ],
    { title: undefined, nickName: "c" }
  ),
  patched("values are added once", { emails: [work] }, [{ op: "add", path: "emails", value: [work, home] }], {
    emails: [work, home]
  }),
  patched(
    "the added primary value is the only one",
    { emails: [work] },
    [{ op: "add", path: "emails", value: { ...home, primary: true } }],
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true }
      ]
    }
  ),
  patched(
    "selected values are removed",
    { emails: [work, home] },
    [{ op: "remove", path: 'emails[type eq "work" and value co "@work"]' }],
    {
      emails: [home]
    }
  ),
  patched(
    "a part of the selected values is removed",
    { emails: [work] },
    [{ op: "remove", path: 'emails[type eq "work"].primary' }],
    {
      emails: [{ value: work.value, type: "work" }]
    }
  ),
  patched("nothing to remove is no error", {}, [{ op: "remove", path: 'emails[type eq "work"]' }], {
    emails: undefined
  }),
  patched("null removes", { title: "a" }, [{ op: "replace", path: "title", value: null }], { title: undefined }),
  patched(
    "attributes within the name of their schema, in any case",
    { active: true, emails: [work] },
    [
      {
        op: "replace",
        value: {
          [scimUrns.user.toUpperCase()]: {
            Active: false,
            "name.familyName": "Lee",
            'emails[type eq "work"].value': "li@work.example"
          }
        }
      }
    ],
    { active: false, name: { familyName: "Lee" }, emails: [{ ...work, value: "li@work.example" }] }
  ),
  patched(
    "the name of the schema as path",
    { active: true },
    [{ op: "replace", path: scimUrns.user, value: { active: "False", shoeSize: 43 } }],
    { active: false, shoeSize: undefined }
  ),
  unpatchable("active removed", [{ op: "remove", path: "active" }], "mutability"),
  unpatchable("active null", [{ op: "replace", path: "active", value: null }], "mutability"),
  unpatchable("active null, without a path", [{ op: "replace", value: { active: null, title: "a" } }], "mutability"),
  patched(
    "active removed, and said after",
    { active: true },
    [
      { op: "remove", path: "active" },
      { op: "add", path: "active", value: false }
    ],
    { active: false }
  ),
  patched("what no schema has is left out", {}, [{ op: "add", value: { shoeSize: 43, title: "a" } }], {
    shoeSize: undefined,
    title: "a"
  }),
  unpatchable("no operations", [], "invalidValue"),
  unpatchable(
    "1,001 operations",
    Array.from({ length: 1_001 }, () => ({ op: "remove", path: "title" })),
    "invalidValue"
  ),
  unpatchable(
    "more attributes without a path than there may be operations",
    Array.from({ length: 400 }, () => ({ op: "replace", value: { title: "a", nickName: "b", displayName: "c" } })),
    "invalidValue"
  ),
  {
    name: "operations that compare too much: nothing is changed",
    status: 400,
    run: async (world) => {
      const emails = Array.from({ length: 100 }, (_, number) => ({ value: `${number}@example.com` }))
      const { id } = await newUser(world, { emails })
      const wide = Array.from({ length: 20 }, (_, number) => `value co "${number}"`).join(" and ")
      const select = { op: "replace", path: `emails[${wide}].type`, value: "work" }
      const remove = { op: "remove", path: `emails[${wide}]` }
      assert.strictEqual((await patchUser(world, id, ...Array.from({ length: 2 }, () => remove))).status, 200)
      const answer = await patchUser(
        world,
        id,
        { op: "replace", path: "title", value: "changed" },
        ...Array.from({ length: 12 }, () => [remove, { op: "add", path: "emails", value: emails }]).flat(),
        select
      )
      assert.isUndefined((await world.call("getDirectoryUser", { params: { id } })).json.title)
      return answer
    },
    check: ({ json }) => assert.strictEqual(json.scimType, "invalidValue")
  },
  unpatchable("an operation there is not", [{ op: "move", path: "title", value: "a" }], "invalidValue"),
  unpatchable("an operation that is no object", ["add"], "invalidValue"),
  unpatchable("no value to add", [{ op: "add", path: "title" }], "invalidValue"),
  unpatchable("a value of another type", [{ op: "add", path: "active", value: 1 }], "invalidValue"),
  unpatchable("an attribute there is not", [{ op: "add", path: "shoeSize", value: "43" }], "invalidPath"),
  unpatchable(
    "a path that goes on too long",
    [{ op: "add", path: "name.familyName.first", value: "a" }],
    "invalidPath"
  ),
  unpatchable("a selection that is none", [{ op: "add", path: "emails[type]", value: "a" }], "invalidFilter"),
  unpatchable("a selection in one value", [{ op: "add", path: 'title[type eq "a"]', value: "a" }], "invalidFilter"),
  unpatchable("nothing named to remove", [{ op: "remove" }], "noTarget"),
  unpatchable(
    "a value to replace that is not there",
    [{ op: "replace", path: 'emails[type sw "work"].value', value: "a" }],
    "noTarget"
  ),
  unpatchable(
    "a selection that describes a longer text than an attribute has",
    [{ op: "add", path: `emails[value eq "${"a".repeat(1_025)}"].type`, value: "work" }],
    "invalidValue"
  ),
  unpatchable("the id", [{ op: "replace", path: "id", value: "mine" }], "mutability"),
  unpatchable("the groups", [{ op: "add", path: "groups", value: [{ value: "a" }] }], "mutability"),
  unpatchable("the name, which everybody has", [{ op: "remove", path: "userName" }], "mutability"),
  {
    name: "a long filter over long values: nothing is changed",
    status: 400,
    run: async (world) => {
      const emails = Array.from({ length: 50 }, (_, index) => ({ value: `${"a".repeat(1_000)}${index}` }))
      const { id } = await newUser(world, { title: "a", emails })
      const path = `emails[${Array.from({ length: 40 }, (_, index) => `value co "b${index}"`).join(" or ")}]`
      const replace = { op: "replace", path: "title", value: "b" }
      const one = await patchUser(world, id, { op: "remove", path: 'emails[value co "b"]' })
      assert.strictEqual(one.status, 200, one.text)
      const answer = await patchUser(world, id, replace, { op: "remove", path })
      assert.strictEqual((await world.call("getDirectoryUser", { params: { id } })).json.title, "a")
      return answer
    },
    check: ({ json }) => {
      assert.deepInclude(json, { status: "400", scimType: "invalidValue" })
      assert.include(json.detail, "compare too many values")
    }
  },
  {
    name: "all or nothing",
    status: 400,
    run: async (world) => {
      const { id } = await newUser(world, { title: "a" })
      const answer = await patchUser(world, id, { op: "replace", path: "title", value: "b" }, { op: "remove" })
      assert.strictEqual((await world.call("getDirectoryUser", { params: { id } })).json.title, "a")
      return answer
    }
  },
  {
    name: "nothing changed: the time of the last change stays",
    status: 200,
    run: async (world) => {
      const { id, meta } = await newUser(world, { title: "a" })
      world.installation.clock.now += 1000
      const answer = await patchUser(world, id, { op: "replace", path: "title", value: "a" })
      assert.deepEqual(answer.json.meta, meta)
      return answer
    }
  },
  taken("another name that is taken, in other letters", async (world) => {
    await newUser(world, { userName: "Ann" })
    return patchUser(world, (await newUser(world)).id, { op: "replace", path: "userName", value: "aNN" })
  })
]
