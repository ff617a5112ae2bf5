/** What a user loses who is not active any more. Rule: scim#deprovisioning. */
import { assert } from "@effect/vitest"
import { newApiKey, ApiKeys } from "@gatewarden/core/internal"
import { Effect, Redacted } from "effect"
import { type Case, reasonIs } from "../../http/Case.ts"
import { sha256Hex } from "../../http/sha256.ts"
import type { Answer, World } from "../../World.ts"
import { addByHand, keyOf, map, newGroup, newUser, patchOf, patchUser, rolesIn } from "../directoryStates.ts"

export const deprovisioned = (name: string, end: (world: World, id: string) => Promise<unknown>): Case => ({
  name: `${name} ends every membership and disables every key, and no other user's`,
  status: 200,
  run: async (world) => {
    const ann = await newUser(world, { userName: "ann" })
    await newUser(world, { userName: "bob" })
    const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
    await addByHand(world, "default", "ann", "bob")
    await addByHand(world, "second", "ann")
    const keys = [await keyOf(world, "ann"), await keyOf(world, "ann", second), await keyOf(world, "bob")]
    assert.deepEqual(await Promise.all(keys.map(({ status }) => status())), [200, 200, 200])
    await end(world, ann.id)
    assert.deepEqual(await Promise.all(keys.map(({ status }) => status())), [401, 401, 200])
    assert.deepEqual([await rolesIn(world), await rolesIn(world, "second")], [{ bob: "member" }, {}])
    return world.call("getKey", { params: { hash: keys[0]?.hash ?? "" } })
  },
  check: ({ json }) => assert.isTrue(json.data.disabled)
})

/** A management key that names a user. */
const managementKeyOf = (world: World, user_id: string): Promise<string> =>
  world.installation.run(
    Effect.gen(function* () {
      const named = { kind: "management", account_id: world.account_id, workspace_id: null, name: "theirs" } as const
      const { key, record } = yield* newApiKey({ ...named, user_id })
      yield* (yield* ApiKeys).insert(record)
      return Redacted.value(key)
    })
  )

const policy = {
  name: "workload",
  issuer: "https://issuer.example.com",
  audience: "gatewarden",
  subject: "repo:acme/*"
}

/** A code that the user asked for, and a policy that gives the user keys. */
const waiting = async (world: World, user_id: string) => {
  const code = await world.call("createAuthorizationCode", {
    body: { callback_url: "https://app.example.com/done" },
    key: await managementKeyOf(world, user_id)
  })
  const made = await world.call("createFederationPolicy", { body: { ...policy, user_id } })
  assert.deepEqual([code.status, made.status], [200, 200], made.text)
  const id = made.json.data.id as string
  return {
    exchanged: () => world.call("exchangeAuthorizationCode", { body: { code: code.json.data.id } }),
    isDisabled: async () => (await world.call("getFederationPolicy", { params: { id } })).json.data.disabled as boolean
  }
}

/** Neither stays dangerous once nothing says of the user any more that the user may not act. */
export const leavesNothing = (
  name: string,
  status: number,
  end: (world: World, id: string) => Promise<Answer>
): Case => ({
  name: `${name} ends the codes of the user and the policies that give the user keys, and no other user's`,
  status,
  run: async (world) => {
    const ann = await newUser(world, { userName: "ann" })
    const [own, others] = [await waiting(world, "ann"), await waiting(world, "bob")]
    const answer = await end(world, ann.id)
    if (answer.status === 200) await patchUser(world, ann.id, { op: "replace", path: "active", value: true })
    assert.deepEqual([await own.isDisabled(), await others.isDisabled()], [true, false])
    reasonIs("invalid_authorization_code")(await own.exchanged())
    assert.strictEqual((await others.exchanged()).status, 200)
    return answer
  }
})

/** The account keeps a key that manages it: nothing changes until there is another one. */
export const lastKey = (name: string, end: (world: World, id: string, key: string) => Promise<Answer>): Case => ({
  name: `${name} who has the last management key without restrictions`,
  status: 409,
  run: async (world) => {
    const { id } = await newUser(world, { userName: "ann" })
    const restricted = (
      await world.call("createManagementKey", { body: { name: "scim", restrictions: { resources: ["scim"] } } })
    ).json.key
    const own = await managementKeyOf(world, "ann")
    const first = await sha256Hex(world.managementKey)
    assert.strictEqual((await world.call("deleteManagementKey", { params: { hash: first }, key: own })).status, 200)
    await addByHandWith(world, own, "ann")
    const answer = await end(world, id, restricted)
    assert.isUndefined(answer.json.scimType)
    assert.strictEqual((await world.call("getDirectoryUser", { params: { id }, key: own })).json.active, true)
    assert.strictEqual(
      (await world.call("listWorkspaceMembers", { params: { id: "default" }, key: own })).json.total_count,
      1
    )
    // With another key it is done, and whoever sends the request keeps the own one.
    assert.strictEqual((await world.call("createManagementKey", { body: { name: "another" }, key: own })).status, 200)
    reasonIs("last_management_key")(await end(world, id, restricted))
    await managementKeyOf(world, "bob")
    assert.isBelow((await end(world, id, restricted)).status, 300)
    assert.strictEqual((await world.call("listKeys", { key: own })).status, 401)
    return answer
  },
  check: reasonIs("last_management_key")
})

const addByHandWith = (world: World, key: string, ...user_ids: readonly string[]): Promise<Answer> =>
  world.call("addWorkspaceMembers", { params: { id: "default" }, body: { user_ids }, key })

export const patchedActive: readonly Case[] = [
  deprovisioned("active false", (world, id) => patchUser(world, id, { op: "replace", path: "active", value: false })),
  {
    name: "active again: the memberships of the groups, and no key",
    status: 200,
    run: async (world) => {
      const ann = await newUser(world, { userName: "ann" })
      await map(world, await newGroup(world, [ann]), "admin")
      const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
      await addByHand(world, second, "ann")
      const { status } = await keyOf(world, "ann")
      await patchUser(world, ann.id, { op: "replace", path: "active", value: false })
      assert.deepEqual(await rolesIn(world), {})
      const answer = await patchUser(world, ann.id, { op: "replace", path: "active", value: true })
      assert.deepEqual([await rolesIn(world), await rolesIn(world, "second")], [{ ann: "admin" }, {}])
      assert.strictEqual(await status(), 401)
      return answer
    }
  },
  {
    name: "management keys too, but the one that the request is made with",
    status: 200,
    run: async (world) => {
      const { id } = await newUser(world, { userName: "ann" })
      const [own, other] = [await managementKeyOf(world, "ann"), await managementKeyOf(world, "ann")]
      const body = patchOf({ op: "replace", path: "active", value: false })
      const answer = await world.call("patchDirectoryUser", { params: { id }, body, key: own })
      const status = async (key: string) => (await world.call("listKeys", { key })).status
      assert.deepEqual([await status(own), await status(other)], [200, 401])
      return answer
    }
  },
  {
    name: "no key for one who is not active: none is made, enabled, or exchanged for a code",
    status: 200,
    run: async (world) => {
      const ann = await newUser(world, { userName: "user-1" })
      const code = await world.call("createAuthorizationCode", {
        body: { callback_url: "https://app.example.com/done" },
        key: await managementKeyOf(world, "user-1")
      })
      const made = await patchUser(world, ann.id, { op: "replace", path: "active", value: false })
      const params = { hash: world.normalKeyHash }
      reasonIs("user_deprovisioned")(await world.call("updateKey", { params, body: { disabled: false } }))
      reasonIs("user_deprovisioned")(
        await world.call("createKey", { body: { name: "more", creator_user_id: "user-1" } })
      )
      reasonIs("invalid_authorization_code")(
        await world.call("exchangeAuthorizationCode", { body: { code: code.json.data.id } })
      )
      await patchUser(world, ann.id, { op: "replace", path: "active", value: true })
      assert.strictEqual((await world.call("updateKey", { params, body: { disabled: false } })).status, 200)
      return made
    }
  },
  leavesNothing("active false", 200, (world, id) =>
    patchUser(world, id, { op: "replace", path: "active", value: false })
  ),
  lastKey("one who is not active any more", (world, id, key) =>
    world.call("patchDirectoryUser", {
      params: { id },
      body: patchOf({ op: "replace", path: "active", value: false }),
      key
    })
  ),
  {
    name: "active false once more ends what came to be beside it, and leaves the user as it was",
    status: 200,
    run: async (world) => {
      const { id } = await newUser(world, { userName: "ann" })
      const first = await patchUser(world, id, { op: "replace", path: "active", value: false })
      await addByHand(world, "default", "ann")
      world.installation.clock.now += 1000
      const answer = await patchUser(world, id, { op: "replace", path: "active", value: false })
      assert.deepEqual(answer.json, first.json)
      assert.deepEqual(await rolesIn(world), {})
      return answer
    }
  },
  {
    name: "a key of one who is not active gets no new secret",
    status: 200,
    run: async (world) => {
      const ann = await newUser(world, { userName: "user-1" })
      const answer = await patchUser(world, ann.id, { op: "replace", path: "active", value: false })
      const rotated = await world.call("rotateKey", { params: { hash: world.normalKeyHash }, body: {} })
      assert.strictEqual(rotated.status, 400)
      reasonIs("user_deprovisioned")(rotated)
      return answer
    }
  }
]
