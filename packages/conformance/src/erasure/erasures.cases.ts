/** The cases of the operations on erasures. Rule: access#erasures. */
import { createFederationPolicy, createGuardrail, maxErasures } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { boundsCases } from "../http/listCases.ts"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { given } from "../usage/queryAnalytics/scene.ts"
import { type Answer, metadataOf, type World } from "../World.ts"
import { eraseDue } from "./erasing.ts"

const nobody = "00000000-0000-4000-8000-000000000000"
const anna = { body: { user_id: "anna" } }
const guest = { body: { external_user: "anna" } }

const made = async (world: World, id: Parameters<World["call"]>[0], call: Parameters<World["call"]>[1]) => {
  const answer = await world.call(id, call)
  assert.isBelow(answer.status, 300, answer.text)
  return answer
}

const stateOf = async (world: World, id: string) => (await made(world, "getErasure", { params: { id } })).json.data

/** Everything that is exported of a person. */
const exported = async (world: World, query: Readonly<Record<string, string>>): Promise<string> =>
  (await world.call("exportPersonalData", { query })).text

/** Requests and costs by a field, the greatest first. */
const sumsBy = async (world: World, field: string) =>
  (
    await made(world, "queryAnalytics", {
      body: {
        metrics: ["request_count", "total_usage"],
        dimensions: [field]
      }
    })
  ).json.data.data as readonly Readonly<Record<string, unknown>>[]

/** Usage of anna, of bert, and for a guest of the same name. */
const use = (world: World) =>
  given(
    world,
    { id: "one", user_id: "anna", session_id: "s1", cost_usd: "0.5", trace: { by: "anna" } },
    { id: "two", user_id: "anna", session_id: "s1", cost_usd: "0.25" },
    { id: "three", user_id: "bert", session_id: "s2", cost_usd: "2", external_user: "anna", trace: { by: "bert" } }
  )

/** Something of every table of configuration that names anna, so that she may be erased. */
const configure = async (world: World): Promise<void> => {
  const { workspace_id } = world
  const guardrail = (await made(world, "createGuardrail", { body: createGuardrail.example.body })).json.data
  const { key, data } = (
    await made(world, "createKey", { body: { name: "old", creator_user_id: "anna", workspace_id } })
  ).json
  await made(world, "createPreset", {
    key,
    params: { slug: "hers" },
    body: { model: "acme/sonnet", messages: [{ role: "user", content: "Hello" }] }
  })
  await made(world, "updateKey", { params: { hash: data.hash }, body: { disabled: true } })
  await made(world, "createFederationPolicy", {
    body: { ...createFederationPolicy.example.body, user_id: "anna", disabled: true }
  })
  await made(world, "createByokCredential", {
    body: { provider: "openai", key: "sk-secret-of-upstream", allowed_user_ids: ["anna", "carl"] }
  })
  await made(world, "assignMembers", { params: { id: guardrail.id }, body: { member_user_ids: ["anna"] } })
  await made(world, "createDirectoryUser", {
    body: { userName: "anna", externalId: "id of anna", displayName: "anna", active: false }
  })
}

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

const newKey = (fields: Readonly<Record<string, unknown>>) => async (world: World) => {
  const { data } = (
    await made(world, "createKey", { body: { name: "k", workspace_id: world.workspace_id, ...fields } })
  ).json
  return () => made(world, "deleteKey", { params: { hash: data.hash } })
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
        const of = async () => exported(world, { user_id: "anna" })
        const before = await of()
        const answer = await made(world, "createErasure", guest)
        await eraseDue(world)
        assert.strictEqual(await of(), before)
        assert.strictEqual(await exported(world, { external_user: "anna" }), "")
        assert.deepInclude(await stateOf(world, answer.json.data.id), {
          kind: "external_user",
          status: "succeeded",
          erased: { usage_event: 1 }
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
          log.json.data.map(({ action, actor, operation, after }: Readonly<Record<string, any>>) => ({
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
    obstructed("she is a member", "membership", async (world) => {
      const call = { params: { id: world.workspace_id }, body: { user_ids: ["anna"] } }
      await made(world, "addWorkspaceMembers", call)
      return () => made(world, "removeWorkspaceMembers", call)
    }),
    obstructed("the directory has her as active", "directory_user", async (world) => {
      const { json } = await made(world, "createDirectoryUser", { body: { userName: "anna" } })
      return () =>
        made(world, "patchDirectoryUser", {
          params: { id: json.id },
          body: {
            schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            Operations: [{ op: "replace", path: "active", value: false }]
          }
        })
    }),
    obstructed("a policy gives her keys", "federation_policy", async (world) => {
      const body = { ...createFederationPolicy.example.body, user_id: "anna" }
      const { id } = (await made(world, "createFederationPolicy", { body })).json.data
      return () => made(world, "deleteFederationPolicy", { params: { id } })
    }),
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
    refused("createErasure", "a name that is too long", { body: { user_id: "a".repeat(257) } }, { path: "user_id" }),
    ...managementOnly("createErasure", () => anna),
    storeGone("Erasures", 500, (world) => world.call("createErasure", anna)),
    outcomeUnknown("Erasures", (world) => world.call("createErasure", anna))
  ]
}

const restricted = async (world: World, call: (key: string) => Promise<Answer>): Promise<Answer> => {
  const { key } = (
    await made(world, "createManagementKey", { body: { name: "reader", restrictions: { access: "read" } } })
  ).json
  return call(key)
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
