/** The cases of the operations on erasures. Rule: access#erasures. */
import { maxErasures } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { register } from "../externalUser/register.ts"
import { boundsCases } from "../http/listCases.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { metadataOf, type World } from "../World.ts"
import {
  activeUser,
  configure,
  exported,
  made,
  member,
  newKey,
  policy,
  restricted,
  stateOf,
  sumsBy,
  use
} from "./erasureStates.ts"
import { eraseDue } from "./erasing.ts"

const nobody = "00000000-0000-4000-8000-000000000000"
const anna = { body: { user_id: "anna" } }
const guest = { body: { external_user: "anna" } }

/** A state in which anna cannot be erased, what is said of it, and how it ends. */
const obstructed = (
  name: string,
  kind: string,
  begin: (world: World) => Promise<() => Promise<unknown>>,
  call: { readonly body: Readonly<Record<string, string>> } = anna
): Case => ({
  name: `while ${name}`,
  status: 409,
  run: async (world) => {
    const end = await begin(world)
    const answer = await world.call("createErasure", call)
    await end()
    assert.strictEqual((await world.call("createErasure", call)).status, 202)
    return answer
  },
  check: (answer) => {
    const { reason, issues } = metadataOf(answer)
    assert.strictEqual(reason, "person_in_use")
    assert.deepEqual(
      issues.map(({ path, code }) => ({ path, code })),
      [{ path: Object.keys(call.body)[0], code: kind }]
    )
    assert.notInclude(answer.text, "anna")
  }
})

/** Of the audit log. */
interface Entry {
  readonly action: string
  readonly actor: { readonly type: string }
  readonly operation: string
  readonly after: Readonly<Record<"status" | "pseudonym" | "id", string>>
}

const createErasure: CasesOf = {
  operation: "createErasure",
  cases: [
    {
      name: "queued, and the same again while it is not finished",
      status: 202,
      run: async (world) => {
        const first = await world.call("createErasure", anna)
        world.installation.clock.now += 1000
        assert.deepEqual((await world.call("createErasure", anna)).json, first.json)
        assert.notStrictEqual((await world.call("createErasure", guest)).json.data.id, first.json.data.id)
        return first
      },
      check: ({ json: { data }, text }) => {
        assert.deepInclude(data, { kind: "user", status: "queued", in_the_way: [], erased: {}, started_at: null })
        assert.match(data.pseudonym, /^erased-[0-9a-f]{32}$/)
        assert.notInclude(text, "anna")
      }
    },
    {
      name: "the job that is not finished, also if something acts in the name again",
      status: 202,
      run: async (world) => {
        const first = await world.call("createErasure", anna)
        await member(world)
        const again = await world.call("createErasure", anna)
        assert.deepEqual(again.json, first.json)
        return again
      }
    },
    {
      name: "a user: nothing names her any more, and sums stay",
      status: 202,
      run: async (world) => {
        await configure(world)
        await use(world)
        const before = await sumsBy(world, "user")
        const answer = await made(world, "createErasure", anna)
        await eraseDue(world)
        const { pseudonym } = answer.json.data
        assert.strictEqual(await exported(world, { user_id: "anna" }), "")
        const { status, erased, finished_at } = await stateOf(world, answer.json.data.id)
        assert.deepEqual(
          { status, erased, finished_at },
          {
            status: "succeeded",
            erased: {
              ...{ key: 1, byok_credential: 1, directory_user: 1, federation_policy: 1, member_assignment: 1 },
              ...{ preset: 1, preset_version: 1, usage_event: 2 }
            },
            finished_at: new Date(world.installation.clock.now).toISOString()
          }
        )
        const hers = await exported(world, { user_id: pseudonym })
        for (const table of ["key", "directory_user", "preset_version", "usage_event"])
          assert.include(hers, `"table":"${table}"`)
        for (const gone of ["anna", `"s1"`]) assert.notInclude(hers, gone)
        const after = await sumsBy(world, "user")
        const named = before.map((row) => (row["user"] === "anna" ? { ...row, user: pseudonym } : row))
        assert.sameDeepMembers([...after], named)
        assert.include(await exported(world, { user_id: "bert" }), `"trace":{"by":"bert"}`)
        return answer
      }
    },
    {
      name: "an external user: the user of the same name stays",
      status: 202,
      run: async (world) => {
        await use(world)
        await register(world, "anna")
        const of = async () => exported(world, { user_id: "anna" })
        const before = await of()
        const answer = await made(world, "createErasure", guest)
        await eraseDue(world)
        assert.strictEqual(await of(), before)
        assert.strictEqual(await exported(world, { external_user: "anna" }), "")
        assert.deepInclude(await stateOf(world, answer.json.data.id), {
          kind: "external_user",
          status: "succeeded",
          erased: { external_user: 1, usage_event: 1 }
        })
        return answer
      }
    },
    {
      name: "the same person of another account stays",
      status: 202,
      run: async (world) => {
        const other = await world.other()
        await use(world)
        await use(other)
        const before = await exported(other, { user_id: "anna" })
        const answer = await made(world, "createErasure", anna)
        await eraseDue(world)
        assert.strictEqual(await exported(other, { user_id: "anna" }), before)
        assert.strictEqual((await other.call("getErasure", { params: { id: answer.json.data.id } })).status, 404)
        return answer
      }
    },
    {
      name: "again after it has succeeded: another one, with another pseudonym, finds nothing",
      status: 202,
      run: async (world) => {
        await use(world)
        const first = (await made(world, "createErasure", anna)).json.data
        await eraseDue(world)
        const second = await made(world, "createErasure", anna)
        await eraseDue(world)
        const { id, pseudonym } = second.json.data
        assert.notStrictEqual(id, first.id)
        assert.notStrictEqual(pseudonym, first.pseudonym)
        assert.deepInclude(await stateOf(world, id), { status: "succeeded", erased: {} })
        return second
      }
    },
    {
      name: "a person who came to be in the way meanwhile is waited for",
      status: 202,
      run: async (world) => {
        await use(world)
        const answer = await made(world, "createErasure", anna)
        const end = await newKey({ creator_user_id: "anna" })(world)
        await eraseDue(world)
        const { id } = answer.json.data
        assert.deepInclude(await stateOf(world, id), {
          status: "waiting",
          in_the_way: [{ kind: "live_key", count: 1 }],
          finished_at: null
        })
        await end()
        world.installation.clock.now += 60_000
        await eraseDue(world)
        assert.deepInclude(await stateOf(world, id), { status: "succeeded", in_the_way: [] })
        return answer
      }
    },
    {
      name: "the audit log tells that it was done, and has the name no more often than before",
      status: 202,
      run: async (world) => {
        await configure(world)
        await use(world)
        const mentions = async () =>
          (await made(world, "getAuditLog", { query: { limit: "100" } })).text.split("anna").length
        const before = await mentions()
        const answer = await made(world, "createErasure", anna)
        await eraseDue(world)
        assert.strictEqual(await mentions(), before)
        const { id, pseudonym } = answer.json.data
        const log = await made(world, "getAuditLog", { query: { noun: "erasure" } })
        assert.deepEqual(
          log.json.data.map(({ action, actor, operation, after }: Entry) => ({
            ...{ action, by: actor.type, operation, status: after.status, pseudonym: after.pseudonym, id: after.id }
          })),
          [
            { action: "update", by: "server", operation: "erasures", status: "succeeded", pseudonym, id },
            { action: "create", by: "key", operation: "createErasure", status: "queued", pseudonym, id }
          ]
        )
        const changed = await made(world, "getAuditLog", { query: { operation: "erasures" } })
        const keys = changed.json.data.filter(({ noun }: { readonly noun: string }) => noun === "key")
        assert.lengthOf(keys, 1)
        assert.deepInclude(keys[0], { before: null, after: null, request_id: id })
        return answer
      }
    },
    obstructed("she has a key", "live_key", newKey({ creator_user_id: "anna" })),
    obstructed("she is a member", "membership", member),
    obstructed("the directory has her as active", "directory_user", activeUser),
    obstructed("a policy gives her keys", "federation_policy", policy),
    obstructed("a host's end user has a key", "live_key", newKey({ external: { user: "anna" } }), guest),
    {
      name: "as many as may wait",
      status: 409,
      run: async (world) => {
        for (let n = 0; n < maxErasures; n++) await made(world, "createErasure", { body: { user_id: `user ${n}` } })
        return world.call("createErasure", anna)
      },
      check: (answer, world) => {
        reasonIs("too_many_erasures")(answer)
        return eraseDue(world).then(() => undefined)
      }
    },
    refused("createErasure", "nobody", { body: {} }, { reason: "invalid_request" }),
    refused(
      "createErasure",
      "two persons",
      { body: { user_id: "a", external_user: "b" } },
      { reason: "invalid_request" }
    ),
    refused("createErasure", "an empty name", { body: { user_id: "" } }, { path: "user_id" }),
    refused("createErasure", "the user that stands for none", { body: { user_id: "system" } }, { path: "user_id" }),
    refused("createErasure", "a name that is too long", { body: { user_id: "a".repeat(257) } }, { path: "user_id" }),
    ...managementOnly("createErasure", () => anna),
    storeGone("Erasures", 500, (world) => world.call("createErasure", anna)),
    outcomeUnknown("Erasures", (world) => world.call("createErasure", anna))
  ]
}

export const erasureCases: readonly CasesOf[] = [
  createErasure,
  {
    operation: "getErasure",
    cases: [
      {
        name: "as it was made",
        status: 200,
        run: async (world) => {
          const { data } = (await made(world, "createErasure", anna)).json
          const answer = await world.call("getErasure", { params: { id: data.id } })
          assert.deepEqual(answer.json.data, data)
          return answer
        }
      },
      {
        name: "one of another account",
        status: 404,
        run: async (world) => {
          const { id } = (await made(await world.other(), "createErasure", anna)).json.data
          return world.call("getErasure", { params: { id } })
        },
        check: reasonIs("not_found")
      },
      { name: "no id", status: 404, run: (world) => world.call("getErasure", { params: { id: "me" } }) },
      ...managementOnly("getErasure", () => ({ params: { id: nobody } })),
      storeGone("Erasures", 500, (world) => world.call("getErasure", { params: { id: nobody } }))
    ]
  },
  {
    operation: "listErasures",
    cases: [
      {
        name: "those of the account, page by page",
        status: 200,
        run: async (world) => {
          await made(await world.other(), "createErasure", anna)
          const ids: string[] = []
          for (const user_id of ["anna", "bert", "carl"]) {
            world.installation.clock.now += 1000
            ids.push((await made(world, "createErasure", { body: { user_id } })).json.data.id)
          }
          const page = await world.call("listErasures", { query: { limit: "1", offset: "1" } })
          assert.deepEqual(
            page.json.data.map(({ id }: { readonly id: string }) => id),
            ids.slice(1, 2)
          )
          return page
        },
        check: ({ json }) => assert.strictEqual(json.total_count, 3)
      },
      {
        name: "a restricted key",
        status: 403,
        run: (world) => restricted(world, (key) => world.call("listErasures", { key })),
        check: reasonIs("restricted_key")
      },
      ...boundsCases("listErasures", () => ({})),
      ...managementOnly("listErasures", () => ({})),
      storeGone("Erasures", 500, (world) => world.call("listErasures"))
    ]
  }
]
