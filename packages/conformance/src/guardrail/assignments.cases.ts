/** The cases of the eight operations that put guardrails on keys and on members, which promise the same of both. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, storeGone } from "../http/Case.ts"
import { newKeyHash, nowIn, unusableKeys } from "../key/keyStates.ts"
import { pageCases } from "../http/listCases.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

/** What keys and members have in common. */
interface Kind {
  readonly assign: OperationId
  readonly unassign: OperationId
  readonly list: OperationId
  readonly listOne: OperationId
  /** The field of the body, and of an item of the list. */
  readonly field: string
  readonly named: string
  /** The reason of a name that is not accepted. */
  readonly reason: string
  /** One more that can be assigned. */
  readonly make: (world: World) => Promise<string>
  /** Names that are not accepted, by what they are. */
  readonly unusable: Readonly<Record<string, (world: World) => Promise<string> | string>>
  readonly malformed: string
}

let users = 0
const newUser = async (world: World): Promise<string> => {
  const user_id = `user ${++users} é`
  await world.call("createKey", { body: { name: "theirs", creator_user_id: user_id } })
  return user_id
}

const keys: Kind = {
  assign: "assignKeys",
  unassign: "unassignKeys",
  list: "listKeyAssignments",
  listOne: "listGuardrailKeyAssignments",
  field: "key_hashes",
  named: "key_hash",
  reason: "unknown_api_key_hash",
  make: (world) => newKeyHash(world),
  unusable: {
    unknown: () => "0".repeat(64),
    foreign: async (world) => (await world.other()).normalKeyHash,
    revoked: (world) => unusableKeys["revoked"]?.(world) ?? assert.fail(),
    expired: (world) => newKeyHash(world, { expires_at: nowIn(world) }),
    "of a management key": async (world) => {
      const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(world.managementKey)))
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    }
  },
  malformed: "F".repeat(64)
}

const members: Kind = {
  assign: "assignMembers",
  unassign: "unassignMembers",
  list: "listMemberAssignments",
  listOne: "listGuardrailMemberAssignments",
  field: "member_user_ids",
  named: "user_id",
  reason: "unknown_user",
  make: newUser,
  unusable: {
    unknown: () => "nobody",
    foreign: async (world) => newUser(await world.other()),
    "of another case": () => "USER-1"
  },
  malformed: ""
}

const guardrails = new WeakMap<World, string>()

/** A guardrail that the world keeps for a case. */
const firstOf = async (world: World): Promise<string> => {
  const known = guardrails.get(world) ?? (await newGuardrail(world))
  guardrails.set(world, known)
  return known
}

const newGuardrail = async (world: World, fields: object = {}): Promise<string> =>
  (await world.call("createGuardrail", { body: { name: "One", ...fields } })).json.data.id

const suitesOf = (kind: Kind): readonly CasesOf[] => {
  const { assign, unassign, list, listOne, field, named, reason, make } = kind
  const send = (world: World, operation: OperationId, id: string, names: unknown) =>
    world.call(operation, { params: { id }, body: { [field]: names } })
  const listed = async (world: World, id?: string) =>
    (id === undefined ? await world.call(list) : await world.call(listOne, { params: { id } })).json.data

  const body = (operation: OperationId): readonly Case[] =>
    Object.entries({
      "no name": [],
      "no list": undefined,
      "a malformed name": [kind.malformed],
      "1001 names": Array.from({ length: 1001 }, (_, index) => index.toString(16).padStart(64, "0"))
    }).map(([name, names]) => ({
      name,
      status: 400,
      run: async (world) => send(world, operation, await firstOf(world), names),
      check: ({ json }) => assert.isTrue(json.error.metadata.issues[0].path.startsWith(field))
    }))

  const absent = (operation: OperationId): readonly Case[] => [
    ...managementOnly(operation, () => ({ params: { id: nobody }, body: {} })),
    {
      name: "an unknown guardrail",
      status: 404,
      run: async (world) => send(world, operation, nobody, [await make(world)])
    },
    {
      name: "a malformed guardrail",
      status: 404,
      run: async (world) => send(world, operation, "nope", [await make(world)])
    },
    {
      name: "a default guardrail that nobody configured",
      status: 404,
      run: async (world) => send(world, operation, world.default_guardrail_id, [await make(world)])
    },
    {
      name: "a guardrail of another account",
      status: 404,
      run: async (world) => send(world, operation, await newGuardrail(await world.other()), [await make(world)])
    }
  ]

  const broken = (operation: OperationId, names: unknown): readonly Case[] => [
    storeGone("Assignments", 500, (world) => send(world, operation, nobody, names)),
    outcomeUnknown("Assignments", (world) => send(world, operation, nobody, names))
  ]
  const someName = kind === keys ? "0".repeat(64) : "user-1"

  const assigning: readonly Case[] = [
    {
      name: "several at once, a name twice counts once",
      status: 200,
      run: async (world) => {
        const names = [await make(world), await make(world)]
        const answer = await send(world, assign, await firstOf(world), [...names, names[0]])
        assert.deepEqual(answer.json, { assigned_count: 2 })
        const items = await listed(world)
        assert.sameMembers(
          items.map((item: Record<string, unknown>) => item[named]),
          names
        )
        for (const item of items)
          assert.deepInclude(item, {
            guardrail_id: await firstOf(world),
            assigned_by: null,
            created_at: nowIn(world),
            ...(kind === keys ? { key_name: "another" } : { organization_id: world.account_id })
          })
        return answer
      }
    },
    {
      name: "repeated: the assignment stays as it was",
      status: 200,
      run: async (world) => {
        const name = await make(world)
        await send(world, assign, await firstOf(world), [name])
        const before = await listed(world)
        world.installation.clock.now += 1000
        const answer = await send(world, assign, await firstOf(world), [name])
        assert.deepEqual(answer.json, { assigned_count: 1 })
        assert.deepEqual(await listed(world), before)
        return answer
      }
    },
    {
      name: "replaces the guardrail that was there",
      status: 200,
      run: async (world) => {
        const name = await make(world)
        const [first, second] = [await firstOf(world), await newGuardrail(world)]
        await send(world, assign, first, [name])
        const [before] = await listed(world)
        world.installation.clock.now += 1000
        const answer = await send(world, assign, second, [name])
        assert.lengthOf(await listed(world, first), 0)
        const [after] = await listed(world, second)
        assert.deepInclude(after, { guardrail_id: second, created_at: nowIn(world) })
        assert.notStrictEqual(after.id, before.id)
        assert.lengthOf(await listed(world), 1)
        return answer
      }
    },
    {
      name: "a guardrail of another workspace of the account counts as well",
      status: 200,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const id = await newGuardrail(world, { workspace_id: made.json.data.id, allowed_data_regions: ["us"] })
        return send(world, assign, id, [kind === keys ? world.normalKeyHash : "user-1"])
      },
      check: async (_, world) => {
        const current = await world.call("getCurrentKey")
        assert.deepEqual(current.json.data.allowed_data_regions, ["us"])
      }
    },
    ...Object.entries(kind.unusable).map(([what, name]) => ({
      name: `a name that is ${what}: all or none`,
      status: 400,
      run: async (world: World) => {
        const names = [await make(world), await name(world)]
        const answer = await send(world, assign, await firstOf(world), names)
        assert.strictEqual(answer.json.error.metadata.reason, reason)
        assert.deepEqual(answer.json.error.metadata.issues[0].path, field)
        assert.lengthOf(await listed(world), 0)
        return answer
      }
    })),
    ...body(assign),
    ...absent(assign),
    ...broken(assign, [someName])
  ]

  const unassigning: readonly Case[] = [
    {
      name: "those that have it; others are left alone",
      status: 200,
      run: async (world) => {
        const [first, second] = [await firstOf(world), await newGuardrail(world)]
        const [mine, kept, theirs] = [await make(world), await make(world), await make(world)]
        await send(world, assign, first, [mine, kept])
        await send(world, assign, second, [theirs])
        const names = [mine, theirs, mine, kind === keys ? "0".repeat(64) : "nobody"]
        const answer = await send(world, unassign, first, names)
        assert.deepEqual(answer.json, { unassigned_count: 1 })
        const left = (await listed(world)).map((item: Record<string, unknown>) => item[named])
        assert.sameMembers(left, [kept, theirs])
        const again = await send(world, unassign, first, names)
        assert.deepEqual(again.json, { unassigned_count: 0 })
        return answer
      }
    },
    {
      name: "it counts no longer, at once",
      status: 200,
      run: async (world) => {
        const id = await newGuardrail(world, { allowed_data_regions: ["europe"] })
        const name = kind === keys ? world.normalKeyHash : "user-1"
        await send(world, assign, id, [name])
        assert.deepEqual((await world.call("getCurrentKey")).json.data.allowed_data_regions, ["europe"])
        return send(world, unassign, id, [name])
      },
      check: async (_, world) => assert.lengthOf((await world.call("getCurrentKey")).json.data.allowed_data_regions, 3)
    },
    ...body(unassign),
    ...absent(unassign),
    ...broken(unassign, [someName])
  ]

  const create = async (world: World): Promise<string> => {
    const name = await make(world)
    await send(world, assign, await firstOf(world), [name])
    const items = (await world.call(list, { query: { limit: "100" } })).json.data
    return items.find((item: Record<string, unknown>) => item[named] === name).id
  }
  const ofFirst = async (world: World) => ({ params: { id: await firstOf(world) } })

  const listing: readonly Case[] = [
    ...pageCases(list, create),
    {
      name: "no other account's",
      status: 200,
      run: async (world) => {
        await create(await world.other())
        return world.call(list)
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    ...managementOnly(list, () => ({})),
    storeGone("Assignments", 500, (world) => world.call(list))
  ]
  const listingOne: readonly Case[] = [
    ...pageCases(listOne, create, ofFirst),
    {
      name: "no other guardrail's",
      status: 200,
      run: async (world) => {
        await create(world)
        return world.call(listOne, { params: { id: await newGuardrail(world) } })
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    ...managementOnly(listOne, () => ({ params: { id: nobody } })),
    { name: "unknown", status: 404, run: (world) => world.call(listOne, { params: { id: nobody } }) },
    { name: "malformed", status: 404, run: (world) => world.call(listOne, { params: { id: "nope" } }) },
    {
      name: "of another account",
      status: 404,
      run: async (world) => world.call(listOne, { params: { id: await newGuardrail(await world.other()) } })
    },
    storeGone("Guardrails", 500, (world) => world.call(listOne, { params: { id: nobody } }))
  ]

  return [
    { operation: assign, cases: assigning },
    { operation: unassign, cases: unassigning },
    { operation: listOne, cases: listingOne },
    { operation: list, cases: listing }
  ]
}

export const assignmentCases: readonly CasesOf[] = [...suitesOf(keys), ...suitesOf(members)]
