/** Holds a store to what the port of personal rows promises: every table, every field that names a person, and no row of another account. */
import {
  ApiKeys,
  Assignments,
  AuthorizationCodes,
  ByokCredentials,
  DirectoryUsers,
  ExternalUsers,
  FederationPolicies,
  type Person,
  PersonalRows,
  personalTableNames,
  Presets,
  type StorePorts,
  WorkspaceMembers,
  Workspaces,
  newApiKey
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import {
  at,
  bytes,
  credentialIn,
  directoryUserOf,
  externalUserOf,
  draftIn,
  federationPolicyIn,
  grantOf,
  now,
  one,
  prepare,
  settling
} from "../stores/accountFixture.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const name = "anna"
const user: Person = { kind: "user", name }
const end: Person = { kind: "external_user", name }

/** An account in which every field names `name` once, and how often that is by table. */
const namedEverywhere = Effect.gen(function* () {
  const own = yield* prepare
  const { account_id, workspace_id, hash, guardrail } = own
  const keys = yield* ApiKeys
  for (const naming of [{ user_id: name }, { creator_user_id: name }, { external_user: name }]) {
    const { record } = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "key", ...naming })
    yield* keys.insert(record)
  }
  for (const naming of [{ user_id: name }, { external_user: name }]) {
    const { record } = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "key", ...naming })
    yield* keys.insert(record)
    yield* keys.remove(account_id, record.hash, at)
  }
  yield* (yield* AuthorizationCodes).insert({ ...grantOf(account_id, workspace_id), user_id: name }, 600_000)
  yield* (yield* ByokCredentials).insert(
    account_id,
    { ...credentialIn(workspace_id), allowed_user_ids: ["bert", name] },
    bytes
  )
  yield* (yield* ExternalUsers).insert(account_id, externalUserOf(name))
  yield* (yield* DirectoryUsers).insert(account_id, directoryUserOf(name), settling)
  yield* (yield* FederationPolicies).insert(account_id, { ...federationPolicyIn(workspace_id), user_id: name })
  for (const user_id of ["bert", name])
    yield* (yield* WorkspaceMembers).add(account_id, workspace_id, [{ user_id, id: crypto.randomUUID() }], at)
  const assignments = yield* Assignments
  const how = { assigned_by: name, now: at }
  yield* assignments.assignKeys(account_id, guardrail, one(hash), how)
  yield* assignments.assignMembers(account_id, guardrail, one("bert"), how)
  yield* assignments.assignMembers(account_id, guardrail, one(name), { ...how, assigned_by: null })
  yield* (yield* Presets).append(account_id, { ...draftIn(workspace_id), creator_id: name })
  const workspaces = yield* Workspaces
  const template = Option.getOrThrow(yield* workspaces.find(account_id, workspace_id))
  const [id, default_guardrail_id] = [crypto.randomUUID(), crypto.randomUUID()]
  yield* workspaces.insert(account_id, { ...template, id, default_guardrail_id, slug: "second", created_by: name })
  return own
})

const placesOf = (account_id: string, person: Person, limit = 9) =>
  Effect.flatMap(PersonalRows, (rows) =>
    Effect.forEach(personalTableNames, (table) =>
      Effect.map(
        rows.naming(account_id, person, table, "", limit),
        (found) => [table, found.map(({ place }) => place)] as const
      )
    )
  )

const countsOf = (places: Effect.Success<ReturnType<typeof placesOf>>) =>
  Object.fromEntries(places.map(([table, { length }]) => [table, length]))

const expected = {
  ...Object.fromEntries(personalTableNames.map((table) => [table, 1])),
  key: 2,
  external_user: 0,
  member_assignment: 2
}

export const personalRowsSuite = (storeName: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`rows that name a person: ${storeName}`, () => {
    const run = storeUnderTest(makeStore, now)

    it("are found in every table, by every field, in the own account alone", () =>
      run(
        Effect.gen(function* () {
          const [one, other] = [yield* namedEverywhere, yield* namedEverywhere]
          const [ofOne, ofOther] = [yield* placesOf(one.account_id, user), yield* placesOf(other.account_id, user)]
          assert.deepEqual(countsOf(ofOne), expected)
          assert.deepEqual(countsOf(ofOther), expected)
          const all = [...ofOne, ...ofOther].flatMap(([, places]) => places)
          assert.strictEqual(new Set(all).size, all.length)
          const guest = yield* placesOf(one.account_id, end)
          assert.deepEqual(countsOf(guest.filter(([, { length }]) => length > 0)), {
            key: 1,
            deleted_key: 1,
            external_user: 1
          })
        })
      ))

    it("come by place, behind a place, at most as many as wanted", () =>
      run(
        Effect.gen(function* () {
          const { account_id } = yield* namedEverywhere
          const rows = yield* PersonalRows
          const all = (yield* rows.naming(account_id, user, "key", "", 9)).map(({ place }) => place)
          assert.deepEqual(all, all.toSorted())
          const [first = ""] = (yield* rows.naming(account_id, user, "key", "", 1)).map(({ place }) => place)
          assert.deepEqual(
            [first, ...(yield* rows.naming(account_id, user, "key", first, 9)).map(({ place }) => place)],
            all
          )
        })
      ))
  })
}
