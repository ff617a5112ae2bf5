/** The life of a private endpoint after its creation: validated, activated, disabled, enabled. Rule: models#private-endpoints. */
import { operations, type OperationId, type OperationShape } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, malformedIdempotencyKey, reasonIs } from "../http/Case.ts"
import { nobody } from "../http/nounCases.ts"
import type { World } from "../World.ts"
import { deploymentUrl } from "./Deployments.ts"
import {
  act,
  activeEndpoint,
  admitted,
  bringKey,
  by,
  move,
  movedEndpoint,
  newEndpoint,
  newProvider,
  patch,
  providerBody,
  statusOf,
  usual,
  validate
} from "./privateCases.ts"

/** The checks of a validation of a new draft, by name, with why they failed. */
const checked = (name: string, prepare: (world: World) => Promise<unknown>, expected: object): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const { id } = await newEndpoint(world)
    await prepare(world)
    return validate(world, id)
  },
  check: ({ json: { data } }) => {
    const checks = data.checks as readonly { name: string; passed: boolean; reason?: string }[]
    assert.deepEqual(Object.fromEntries(checks.map((one) => [one.name, one.reason ?? one.passed])), expected)
    assert.strictEqual(
      data.passed,
      checks.every(({ passed }) => passed)
    )
  }
})

const answering =
  (fields: object, status = 200) =>
  async (world: World) => {
    await bringKey(world)
    world.installation.deployments.answer(fields, status)
  }

const validatePrivateEndpoint: CasesOf = {
  operation: "validatePrivateEndpoint",
  cases: [
    checked("a good answer", answering({}), {
      credential: true,
      auth_ok: true,
      response_valid: true,
      usage_reported: true
    }),
    checked("without a credential", async () => undefined, { credential: "no_byok_key" }),
    checked("refused", answering({}, 401), { credential: true, auth_ok: "upstream_error" }),
    checked("an answer that is none", answering({ choices: [] }), {
      credential: true,
      auth_ok: true,
      response_valid: "invalid_response"
    }),
    checked("an answer without usage", answering({ usage: null }), {
      credential: true,
      auth_ok: true,
      response_valid: true,
      usage_reported: "missing_usage"
    }),
    checked(
      "nobody there",
      async (world) => {
        await bringKey(world)
        world.installation.deployments.next = undefined
      },
      { credential: true, auth_ok: "upstream_error" }
    ),
    {
      name: "one that is active",
      status: 409,
      run: async (world) => validate(world, (await activeEndpoint(world)).id),
      check: reasonIs("private_endpoint_state")
    },
    {
      name: "another account's workspace",
      status: 400,
      run: async (world) => validate(world, (await newEndpoint(world)).id, (await world.other()).workspace_id),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "10 in any minute",
      status: 429,
      run: async (world) => {
        for (let count = 0; count < 10; count++) assert.strictEqual((await validate(world, nobody)).status, 404)
        return validate(world, nobody)
      },
      check: reasonIs("rate_limited")
    },
    ...usual("validatePrivateEndpoint", { workspace_id: nobody })
  ]
}

const validated = async (world: World, fields: object = {}) => {
  await bringKey(world)
  const { id } = await newEndpoint(world, fields)
  assert.isTrue((await validate(world, id)).json.data.passed)
  return id as string
}

const activatePrivateEndpoint: CasesOf = {
  operation: "activatePrivateEndpoint",
  cases: [
    {
      name: "after its validation, once",
      status: 200,
      run: async (world) => {
        const id = await validated(world)
        const answer = await act(world, "activatePrivateEndpoint", id)
        const again = await act(world, "activatePrivateEndpoint", id)
        assert.strictEqual(again.json.error.metadata.reason, "private_endpoint_state")
        return answer
      },
      check: ({ json }) => assert.strictEqual(json.data.status, "active")
    },
    {
      name: "without a validation",
      status: 409,
      run: async (world) => act(world, "activatePrivateEndpoint", (await newEndpoint(world)).id),
      check: reasonIs("private_endpoint_unvalidated")
    },
    {
      name: "after its deployment changed",
      status: 409,
      run: async (world) => {
        const id = await validated(world)
        await patch(world, id, { upstream_model_id: "other" })
        return act(world, "activatePrivateEndpoint", id)
      },
      check: reasonIs("private_endpoint_unvalidated")
    },
    {
      name: "after its provider moved",
      status: 409,
      run: async (world) => {
        const { slug } = await newProvider(world)
        await bringKey(world, slug)
        const id = await validated(world, { provider_slug: slug, base_url: undefined })
        await move(world, slug, "https://other.example.com")
        return act(world, "activatePrivateEndpoint", id)
      },
      check: reasonIs("private_endpoint_unvalidated")
    },
    {
      name: "again, after the provider of an active one moved: until then no request is sent there",
      status: 200,
      run: async (world) => {
        const { slug: provider_slug } = await newProvider(world)
        await bringKey(world, provider_slug)
        const { id, slug } = await activeEndpoint(world, { provider_slug, base_url: undefined })
        const elsewhere = `${new URL(deploymentUrl).origin}/v2`
        const sources = async () => (await admitted(world, slug)).map(({ source }) => source)
        assert.deepEqual(await sources(), ["byok", "shared"])
        await move(world, provider_slug, elsewhere)
        assert.deepEqual(await sources(), ["shared"])
        assert.strictEqual(await statusOf(world, id), "draft")
        const [listed] = (await world.call("listPrivateEndpoints")).json.data
        assert.strictEqual(listed.status, "draft")
        reasonIs("private_endpoint_state")(await act(world, "enablePrivateEndpoint", id))
        reasonIs("private_endpoint_unvalidated")(await act(world, "activatePrivateEndpoint", id))
        // Back at the address that was validated, it is as it was.
        await move(world, provider_slug, `${providerBody.base_url}/`)
        assert.strictEqual(await statusOf(world, id), "active")
        await move(world, provider_slug, elsewhere)
        assert.isTrue((await validate(world, id)).json.data.passed)
        assert.strictEqual(await statusOf(world, id), "draft")
        assert.deepEqual(await sources(), ["shared"])
        const answer = await act(world, "activatePrivateEndpoint", id)
        const [first] = await admitted(world, slug)
        assert.deepInclude(first?.upstream, { base_url: elsewhere })
        return answer
      },
      check: ({ json }) => assert.strictEqual(json.data.status, "active")
    },
    malformedIdempotencyKey("activatePrivateEndpoint", { id: nobody }),
    ...usual("activatePrivateEndpoint")
  ]
}

const switching = (
  operation: "disablePrivateEndpoint" | "enablePrivateEndpoint",
  status: string,
  more: readonly Case[] = []
): CasesOf => ({
  operation,
  cases: [
    {
      name: "at once for every request, again and again",
      status: 200,
      run: async (world) => {
        const { id, slug } = await activeEndpoint(world)
        for (const [verb, count] of [
          ["disablePrivateEndpoint", 1],
          ["disablePrivateEndpoint", 1],
          ["enablePrivateEndpoint", 2]
        ] as const) {
          assert.strictEqual((await act(world, verb, id)).status, 200)
          assert.lengthOf(await admitted(world, slug), count)
        }
        return act(world, operation, id)
      },
      check: ({ json }) => assert.strictEqual(json.data.status, status)
    },
    {
      name: "a draft",
      status: 409,
      run: async (world) => {
        const { id } = await newEndpoint(world)
        const answer = await act(world, operation, id)
        assert.strictEqual(await statusOf(world, id), "draft")
        return answer
      },
      check: reasonIs("private_endpoint_state")
    },
    ...more,
    malformedIdempotencyKey(operation, { id: nobody }),
    ...usual(operation)
  ]
})

const disabledWhileMoved: Case = {
  name: "one whose provider moved: it stays off when the provider moves back",
  status: 200,
  run: async (world) => {
    const { id, slug, moveBack } = await movedEndpoint(world)
    const answer = await act(world, "disablePrivateEndpoint", id)
    await moveBack()
    assert.strictEqual(await statusOf(world, id), "disabled")
    assert.lengthOf(await admitted(world, slug), 1)
    assert.strictEqual((await act(world, "enablePrivateEndpoint", id)).status, 200)
    assert.lengthOf(await admitted(world, slug), 2)
    return answer
  },
  check: ({ json }) => assert.strictEqual(json.data.status, "draft")
}

/** Listed by hand, beside what the operations declare of themselves. */
const sayWhere: readonly OperationId[] = [
  "createPrivateEndpoint",
  "updatePrivateEndpoint",
  "validatePrivateEndpoint",
  "activatePrivateEndpoint",
  "enablePrivateEndpoint",
  "createPrivateProvider",
  "updatePrivateProvider"
]
const sayNothing: readonly OperationId[] = [
  "updatePrivateEndpointPricing",
  "disablePrivateEndpoint",
  "deletePrivateEndpoint",
  "deletePrivateProvider"
]

/** Those that change private endpoints or private providers. */
const changing = operations.filter(
  ({ changes }: OperationShape) =>
    typeof changes === "object" && (changes.noun === "private_endpoint" || changes.noun === "private_provider")
)

const forModelsAlone: Case = {
  name: "a key for models alone: it may end the sending of credentials, and nothing that begins it",
  status: 403,
  run: async (world) => {
    assert.sameMembers(
      changing.map(({ id }) => id),
      [...sayWhere, ...sayNothing]
    )
    const restrictions = { resources: ["models"] }
    const { key } = (await world.call("createManagementKey", { body: { name: "r", restrictions } })).json
    const { id } = await activeEndpoint(world)
    for (const { id: operation, example } of changing) {
      const answer = await world.call(operation, { ...example, key })
      const refused = answer.status === 403
      assert.strictEqual(refused, sayWhere.includes(operation), `${operation}: ${answer.text}`)
      if (refused) reasonIs("restricted_key")(answer)
    }
    assert.strictEqual((await world.call("disablePrivateEndpoint", { ...by(id), key })).status, 200)
    return world.call("enablePrivateEndpoint", { ...by(id), key })
  },
  check: reasonIs("restricted_key")
}

export const privateEndpointLifeCases: readonly CasesOf[] = [
  validatePrivateEndpoint,
  activatePrivateEndpoint,
  switching("disablePrivateEndpoint", "disabled", [disabledWhileMoved]),
  switching("enablePrivateEndpoint", "active", [forModelsAlone])
]
