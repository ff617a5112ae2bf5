/**
 * Filters and patches against published libraries that implement RFC 7644 by themselves: `scim2-parse-filter`, `scim-patch` and `scimmy`.
 *
 * The generators stay away from what the libraries do otherwise: `ne` of absent or several values, `null`, letters in two cases, primary
 * values, and a selection that one value alone has to satisfy, which `scim2-parse-filter` lets several satisfy together.
 */
import { scimUrns } from "@gatewarden/contract/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { layerMemory } from "@gatewarden/core/effect"
import { Result } from "effect"
import * as fc from "fast-check"
import { scimPatch, type ScimPatchOperation, type ScimResource } from "scim-patch"
import { filter as matching, parse } from "scim2-parse-filter"
import { Schemas } from "scimmy"
import { matchesFilter, parseFilter } from "../../core/src/directory/scim/Filter.ts"
import { patchResource } from "../../core/src/directory/scim/patchResource.ts"
import { stepsIn } from "../../core/src/directory/scim/readPatch.ts"
import { userKind, type Values } from "../../core/src/directory/scim/ResourceKind.ts"
import { newGroup, newUser, patchUser } from "@gatewarden/conformance/internal/directory/directoryStates"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"

const word = fc.constantFrom("a", "b", "ab", "ba", "a b", 'a"b', "é", "")
const type = fc.constantFrom("work", "home")
const email = fc.record({ value: word, type }, { requiredKeys: ["value"] })

const user = fc.record(
  {
    userName: word.filter((name) => name !== ""),
    active: fc.boolean(),
    title: word,
    displayName: word,
    name: fc.record({ givenName: word, familyName: word }, { requiredKeys: ["givenName"] }),
    emails: fc.uniqueArray(email, { minLength: 1, maxLength: 3, selector: ({ value }) => value }),
    [scimUrns.enterpriseUser]: fc.record({ department: word })
  },
  { requiredKeys: ["userName", "active"] }
) as fc.Arbitrary<Values>

const texts = fc.constantFrom(
  "userName",
  "TITLE",
  "name.givenName",
  "name.familyName",
  "emails.value",
  "emails.type",
  `${scimUrns.enterpriseUser}:department`
)
const comparison = fc.constantFrom("eq", "co", "sw", "ew", "gt", "ge", "lt", "le", "EQ")

const compare = (attribute: fc.Arbitrary<string>) =>
  fc.tuple(attribute, comparison, word).map(([name, op, value]) => `${name} ${op} ${JSON.stringify(value)}`)

const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small" },
    compare(texts),
    fc.boolean().map((value) => `active eq ${value}`),
    fc.constantFrom("title", "name.familyName", "emails").map((name) => `${name} pr`),
    fc
      .tuple(compare(fc.constantFrom("value", "type")), fc.constant("or"), compare(fc.constantFrom("value", "type")))
      .map(([one, and, two]) => `emails[${one} ${and} ${two}]`),
    tie("filter").map((inner) => `not (${inner})`),
    tie("filter").map((inner) => `(${inner})`),
    fc
      .tuple(tie("filter"), fc.constantFrom("and", "or"), tie("filter"))
      .map(([one, and, two]) => `${one} ${and} ${two}`)
  )
}))

/** An empty text is present to the library, and unassigned to nobody: only `pr` tells. */
const hasEmpty = (resource: Values): boolean => JSON.stringify(resource).includes('""')

describe("filters", () => {
  it("find what scim2-parse-filter finds", () => {
    let compared = 0
    fc.assert(
      fc.property(filter, fc.array(user, { minLength: 1, maxLength: 5 }), (text, resources) => {
        const parsed = parseFilter(userKind, text)
        // The bounds are ours.
        if (!parsed.ok) return assert.match(parsed.message, /^Expected (?:a depth of )?at most/)
        const whole = resources.filter((resource) => !text.includes(" pr") || !hasEmpty(resource))
        const expected = whole.filter(matching(parse(text.replaceAll("TITLE", "title").replaceAll(" EQ ", " eq "))))
        compared += expected.length
        assert.deepEqual(
          whole.filter((resource) => matchesFilter(parsed.value, resource)),
          expected
        )
      }),
      { numRuns: 2_000 }
    )
    assert.isAbove(compared, 500)
  })
})

const operation = fc.oneof(
  fc.record({
    op: fc.constantFrom("add", "replace", "Replace"),
    path: fc.constantFrom("title", "displayName", "userName"),
    value: word
  }),
  fc.record({
    op: fc.constantFrom("add", "replace"),
    path: fc.constantFrom("name.givenName", "name.familyName"),
    value: word
  }),
  fc.record({ op: fc.constant("replace"), path: fc.constant("active"), value: fc.boolean() }),
  fc.record({ op: fc.constant("remove"), path: fc.constantFrom("title", "displayName") }),
  fc.record({
    op: fc.constant("replace"),
    path: fc.constant("emails"),
    value: fc.array(email, { minLength: 1, maxLength: 2 })
  }),
  fc.record({ op: fc.constant("remove"), path: type.map((one) => `emails[type eq "${one}"]`) }),
  fc.record({ op: fc.constant("replace"), path: type.map((one) => `emails[type eq "${one}"].value`), value: word }),
  fc.record({ op: fc.constant("add"), path: type.map((one) => `emails[type eq "${one}"].value`), value: word }),
  fc.record({ op: fc.constant("replace"), value: fc.record({ title: word, active: fc.boolean() }) })
)

/** Without attributes that have no value. */
const assigned = (resource: Values): Values =>
  Object.fromEntries(
    Object.entries(resource).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
  )

const theirs = (resource: Values, operations: readonly object[]): Values | "refused" => {
  try {
    const copy = structuredClone(resource) as unknown as ScimResource
    return scimPatch(copy, structuredClone(operations) as ScimPatchOperation[]) as unknown as Values
  } catch {
    return "refused"
  }
}

const ours = (resource: Values, operations: readonly object[]): Values | "refused" => {
  const reading = stepsIn(userKind, { Operations: operations })
  let read = reading.next()
  while (read.done !== true) read = reading.next()
  const patched = Result.flatMap(read.value, (steps) => patchResource(resource, steps))
  return Result.isSuccess(patched) ? patched.success : "refused"
}

describe("patches", () => {
  it("do what scim-patch does", () => {
    let compared = 0
    fc.assert(
      fc.property(user, fc.array(operation, { minLength: 1, maxLength: 4 }), (resource, operations) => {
        const expected = theirs(resource, operations)
        // It also refuses to remove what is not there, which leaves a directory that repeats itself without a way on.
        if (expected === "refused") return
        compared++
        const actual = ours(resource, operations)
        assert.deepEqual(
          actual === "refused" ? actual : assigned(actual),
          assigned(expected),
          JSON.stringify(operations)
        )
      }),
      { numRuns: 2_000 }
    )
    assert.isAbove(compared, 500)
  })
})

describe("resources", () => {
  let installation: Installation
  beforeAll(async () => {
    installation = await Installation.start({ store: layerMemory, door: fetchDoor })
  })
  afterAll(() => installation?.stop())

  it("are those that scimmy reads", async () => {
    const world = await installation.newWorld()
    const made = await newUser(world, {
      userName: "ann",
      externalId: "1",
      name: { givenName: "Ann", familyName: "Lee" },
      emails: [{ value: "ann@example.com", type: "work", primary: true }],
      phoneNumbers: [{ value: "+49 30 1", type: "work" }],
      addresses: [{ locality: "Berlin", country: "DE", type: "work" }]
    })
    const group = await newGroup(world, [made], { displayName: "Research" })
    const { json } = await patchUser(world, made.id, { op: "add", path: "title", value: "Engineer" })
    const read = new Schemas.User(json, "in") as unknown as Values
    assert.deepInclude(JSON.parse(JSON.stringify(read)), {
      userName: "ann",
      title: "Engineer",
      emails: json.emails,
      addresses: json.addresses
    })
    const asGroup = new Schemas.Group(group, "in") as unknown as Values
    assert.strictEqual(asGroup["displayName"], "Research")
    assert.strictEqual(JSON.parse(JSON.stringify(asGroup)).members[0].value, made.id)
  })
})
