/** What a list of users of a directory promises. Rule: scim#lists, scim#filters. */
import { scimUrns } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, managementOnly, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { newUser } from "./directoryStates.ts"

const operation = "listDirectoryUsers"

/** Users who differ in everything that filters compare. */
const people = async (world: World) => {
  await newUser(await world.other(), { userName: "ann", externalId: "1" })
  await newUser(world, {
    userName: "Ann",
    externalId: "1",
    title: "Engineer",
    emails: [{ value: "ann@work.example", type: "work", primary: true }],
    name: { familyName: "Lee" }
  })
  world.installation.clock.now += 1
  await newUser(world, {
    userName: "bob",
    externalId: "2",
    active: false,
    emails: [{ value: "bob@home.example", type: "home" }]
  })
  world.installation.clock.now += 1
  await newUser(world, {
    userName: "cleo é",
    displayName: "ann",
    [scimUrns.enterpriseUser]: { department: "Research" }
  })
}

const namesOf = (json: { Resources: readonly { userName: string }[] }) => json.Resources.map(({ userName }) => userName)

const finds = (filter: string, ...names: readonly string[]): Case => ({
  name: `finds ${names.length === 0 ? "nobody" : names.join(", ")}: ${filter}`,
  status: 200,
  run: async (world) => {
    await people(world)
    return world.call(operation, { query: { filter } })
  },
  check: ({ json }) => {
    assert.deepEqual(namesOf(json), names)
    assert.strictEqual(json.totalResults, names.length)
  }
})

const turnedDown = (filter: string): Case => ({
  name: `no filter: ${filter.length > 60 ? `${filter.slice(0, 60)}… of ${filter.length}` : filter}`,
  status: 400,
  run: (world) => world.call(operation, { query: { filter } }),
  check: ({ json }) => assert.strictEqual(json.scimType, "invalidFilter")
})

const page = (query: Readonly<Record<string, string>>, startIndex: number, ...names: readonly string[]): Case => ({
  name: `a page: ${JSON.stringify(query)}`,
  status: 200,
  run: async (world) => {
    await people(world)
    return world.call(operation, { query })
  },
  check: ({ json }) => {
    assert.deepEqual(namesOf(json), names)
    assert.deepInclude(json, { schemas: [scimUrns.list], totalResults: 3, startIndex, itemsPerPage: names.length })
  }
})

const everybody = ["Ann", "bob", "cleo é"]

export const userFilterCases: readonly Case[] = [
  page({}, 1, ...everybody),
  page({ startIndex: "2", count: "1" }, 2, "bob"),
  page({ startIndex: "0", count: "-1" }, 1),
  page({ startIndex: "-7", count: "1000000" }, 1, ...everybody),
  page({ startIndex: "4" }, 4),
  page({ filter: "userName pr", startIndex: "3" }, 3, "cleo é"),
  {
    name: "only the names",
    status: 200,
    run: async (world) => {
      await people(world)
      return world.call(operation, { query: { attributes: "username" } })
    },
    check: ({ json }) => {
      for (const resource of json.Resources) assert.sameMembers(Object.keys(resource), ["schemas", "id", "userName"])
    }
  },
  {
    name: "by id",
    status: 200,
    run: async (world) => {
      const { id, userName } = await newUser(world)
      const answer = await world.call(operation, { query: { filter: `id eq "${id}"` } })
      assert.deepEqual(namesOf(answer.json), [userName])
      return answer
    }
  },
  finds('userName eq "ann"', "Ann"),
  finds('USERNAME Eq "ANN"', "Ann"),
  finds(`${scimUrns.user}:userName eq "bob"`, "bob"),
  finds('userName eq "CLEO É"', "cleo é"),
  finds('externalId eq "2"', "bob"),
  finds('externalId eq "a"'),
  finds('id eq "nobody"'),
  finds('userName eq "ann" and active eq true', "Ann"),
  finds('userName eq "bob" and active eq "True"'),
  finds('userName eq "ann" or externalId eq "2"', "Ann", "bob"),
  finds('id eq "nobody" or userName eq "bob"', "bob"),
  finds("active eq false", "bob"),
  finds("active ne false", "Ann", "cleo é"),
  finds('displayName eq "ann"', "cleo é"),
  finds('not (userName eq "ann")', "bob", "cleo é"),
  finds('userName sw "c" or userName ew "B"', "bob", "cleo é"),
  finds('userName gt "ann" and userName lt "cleo"', "bob"),
  finds('userName ge "bob" and userName le "BOB"', "bob"),
  finds('emails co "work"', "Ann"),
  finds('emails.value co "HOME"', "bob"),
  finds('emails[type eq "work" and value co "@work"]', "Ann"),
  finds('emails[type eq "home" and value co "@work"]'),
  finds("emails pr", "Ann", "bob"),
  finds("not (emails[primary eq true])", "bob", "cleo é"),
  finds("title eq null", "bob", "cleo é"),
  finds('name.familyName eq "lee"', "Ann"),
  finds(`${scimUrns.enterpriseUser}:department eq "research"`, "cleo é"),
  finds('title eq "a" or title eq "engineer" and active eq true', "Ann"),
  finds('(title eq "engineer" or userName eq "bob") and active eq false', "bob"),
  finds('meta.created gt "2020-01-01T00:00:00Z" and meta.resourceType eq "User"', ...everybody),
  finds('meta.lastModified lt "2020-01-01T00:00:00Z"'),
  finds('meta.created eq "2026-03-04T14:00:00+02:00"', "Ann"),
  finds('meta.created gt "2026-03-04T10:30:00-01:30"', "bob", "cleo é"),
  finds('title eq "\\u0041"'),
  ...[
    "",
    "userName",
    "userName eq",
    "userName eq ann",
    'userName eq "ann',
    'userName like "ann"',
    'shoeSize eq "43"',
    'userName eq "ann" and',
    '(userName eq "ann"',
    'not userName eq "ann"',
    'name[familyName eq "a"]',
    'emails[shoeSize eq "a"]',
    'emails[type eq "a"',
    "userName eq 7",
    "userName eq true",
    "active gt true",
    'active eq "perhaps"',
    'meta.created co "2020"',
    'meta.created gt "yesterday"',
    'meta.created gt "2026-02-30T00:00:00Z"',
    'meta.created gt "2026-03-04T12:00:00"',
    'name eq "Ann"',
    'groups.value eq "a"',
    "userName gt null",
    'userName eq "a" ; drop',
    'userName eq "\\x"',
    `${"(".repeat(22)}userName pr${")".repeat(22)}`,
    Array.from({ length: 51 }, () => "title pr").join(" or "),
    `title eq "${"t".repeat(2_048)}"`
  ].map(turnedDown),
  ...["startIndex", "count"].map((name): Case => ({
    name: `${name} that is no integer`,
    status: 400,
    run: (world) => world.call(operation, { query: { [name]: "1.5" } }),
    check: ({ json }) => assert.strictEqual(json.scimType, "invalidValue")
  })),
  ...managementOnly(operation, () => ({})),
  storeGone("DirectoryUsers", 500, (world) => world.call(operation))
]
