import { type OperationId, privateEndpointsPerAccount } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import {
  type Case,
  type CasesOf,
  malformedIdempotencyKey,
  managementOnly,
  reasonIs,
  refused,
  storeGone
} from "../http/Case.ts"
import { absentCases, nobody } from "../http/nounCases.ts"
import { nowIn } from "../key/keyStates.ts"
import { endpoint, list, model, newAuthor } from "../model/catalog.ts"
import type { World } from "../World.ts"
import { deploymentUrl } from "./Deployments.ts"
import {
  activeEndpoint,
  bringKey,
  endpointBody,
  listOwnModel,
  newEndpoint,
  newProvider,
  ownModel,
  validate
} from "./privateCases.ts"

const by = (id: string) => ({ params: { id } })
const read = (world: World, id: string) => world.call("getPrivateEndpoint", by(id))
const act = (world: World, operation: OperationId, id: string) => world.call(operation, by(id))
const statusOf = async (world: World, id: string) => (await read(world, id)).json.data.status

const create = async (world: World, fields: object = {}) => {
  await listOwnModel(world)
  return world.call("createPrivateEndpoint", { body: { ...endpointBody, ...fields } })
}

const absent = (operation: OperationId, body?: object): readonly Case[] =>
  absentCases(operation, async (world) => (await newEndpoint(world)).id, {
    body,
    kept: async (world, id) => (await read(world, id)).json
  })

const usual = (operation: OperationId, body?: object): readonly Case[] => [
  ...absent(operation, body),
  ...managementOnly(operation, () => ({ ...by(nobody), ...(body === undefined ? {} : { body }) })),
  storeGone("PrivateEndpoints", 500, (world) =>
    world.call(operation, { ...by(nobody), ...(body === undefined ? {} : { body }) })
  )
]

const bad = (name: string, fields: object, path: string, reason?: string): Case => ({
  name,
  status: 400,
  run: (world) => create(world, fields),
  check: ({ json }) => {
    assert.strictEqual(json.error.metadata.issues[0].path, path)
    if (reason !== undefined) assert.strictEqual(json.error.metadata.reason, reason)
  }
})

const admitted = async (world: World, slug: string) => {
  const { json } = await world.call("createAdmission", {
    body: { api_key_hash: world.normalKeyHash, model: slug, max_completion_tokens: 10 }
  })
  return json.data.candidates as readonly { endpoint_tag: string; source: string; upstream?: object }[]
}

const createPrivateEndpoint: CasesOf = {
  operation: "createPrivateEndpoint",
  cases: [
    {
      name: "a draft, which nobody uses",
      status: 200,
      run: (world) => create(world),
      check: async ({ json: { data } }, world) => {
        assert.deepEqual(data, {
          id: data.id,
          model_permaslug: ownModel.permaslug,
          model_slug: ownModel.slug,
          model_name: ownModel.name,
          provider_name: "azure",
          status: "draft",
          declared_region: "us",
          declared_zdr: true,
          created_at: nowIn(world)
        })
        await bringKey(world)
        assert.deepEqual(
          (await admitted(world, ownModel.slug)).map(({ source }) => source),
          ["shared"]
        )
      }
    },
    {
      name: "validated and activated at once: the first candidate of the account, with its address, and of no other account",
      status: 200,
      run: async (world) => {
        const { deployments } = world.installation
        const { slug, id } = await activeEndpoint(world)
        const sent = deployments.received.at(-1)
        assert.deepEqual(sent, {
          url: `${deploymentUrl}/chat/completions`,
          authorization: "Bearer sk-deployment-0123456789",
          model: "sonnet-prod"
        })
        const candidates = await admitted(world, slug)
        assert.deepEqual(
          candidates.map(({ endpoint_tag, source, upstream }) => ({ endpoint_tag, source, upstream })),
          [
            {
              endpoint_tag: `private/${id}`,
              source: "byok",
              upstream: { base_url: deploymentUrl, model: "sonnet-prod" }
            },
            { endpoint_tag: "acme/fp8", source: "shared", upstream: undefined }
          ]
        )
        const params = { author: slug.split("/")[0] ?? "", slug: "m" }
        const tags = async (who: World) =>
          (await who.call("listEndpoints", { params })).json.data.endpoints.map(({ tag }: { tag: string }) => tag)
        assert.deepEqual(await tags(world), ["acme/fp8", `private/${id}`])
        const other = await world.other()
        assert.deepEqual(await tags(other), ["acme/fp8"])
        assert.lengthOf(await admitted(other, slug), 1)
        return read(world, id)
      },
      check: ({ json }) => assert.strictEqual(json.data.status, "active")
    },
    {
      name: "a check that fails leaves a draft",
      status: 409,
      run: async (world) => {
        const answer = await create(world, { activate: { workspace_id: world.workspace_id } })
        const listed = await world.call("listPrivateEndpoints")
        assert.deepEqual(
          listed.json.data.map(({ status }: { status: string }) => status),
          ["draft"]
        )
        return answer
      },
      check: ({ json }) => {
        assert.strictEqual(json.error.metadata.reason, "private_endpoint_unvalidated")
        assert.include(JSON.stringify(json.error.metadata.issues), "credential: no_byok_key")
      }
    },
    {
      name: "under a private provider, with its address; the prices are those of the model's first endpoint",
      status: 200,
      run: async (world) => {
        const { slug } = await newProvider(world)
        const made = await create(world, { provider_slug: slug, base_url: undefined, pricing: undefined })
        const { data } = (await read(world, made.json.data.id)).json
        assert.deepInclude(data, {
          base_url: null,
          provider_slug: slug,
          provider_name: "Acme Inference",
          pricing: { prompt: "0.000001", completion: "0.000002" }
        })
        return made
      }
    },
    {
      name: "not sent to the address that its private provider moved to, until it is back",
      status: 200,
      run: async (world) => {
        const provider = await newProvider(world, { base_url: deploymentUrl })
        await bringKey(world, provider.slug)
        const { slug, id } = await activeEndpoint(world, { provider_slug: provider.slug, base_url: undefined })
        const move = (base_url: string) =>
          world.call("updatePrivateProvider", { params: { slug: provider.slug }, body: { base_url } })
        const tags = async () => (await admitted(world, slug)).map(({ endpoint_tag }) => endpoint_tag)
        assert.include(await tags(), `private/${id}`)
        assert.strictEqual((await move("https://elsewhere.example.com/v1")).status, 200)
        assert.notInclude(await tags(), `private/${id}`)
        assert.strictEqual((await move(deploymentUrl)).status, 200)
        assert.include(await tags(), `private/${id}`)
        return read(world, id)
      }
    },
    {
      name: "10 activations and validations in any minute",
      status: 429,
      run: async (world) => {
        for (let count = 0; count < 10; count++) assert.strictEqual((await validate(world, nobody)).status, 404)
        assert.strictEqual((await create(world)).status, 200)
        return create(world, { activate: { workspace_id: world.workspace_id } })
      },
      check: reasonIs("rate_limited")
    },
    { name: "a model that nobody has", status: 404, run: (world) => create(world, { model_permaslug: "a/nobody" }) },
    bad("a provider that nobody has", { provider_slug: "nobody" }, "provider_slug", "unknown_provider"),
    bad("no address", { base_url: undefined }, "base_url"),
    bad("an address without TLS", { base_url: "http://inference.example.com" }, "base_url"),
    bad("a negative price", { pricing: { prompt: "-1", completion: "0" } }, "pricing.prompt"),
    {
      name: "another account's workspace",
      status: 400,
      run: async (world) => create(world, { activate: { workspace_id: (await world.other()).workspace_id } }),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "no price, where the catalog has none",
      status: 400,
      run: async (world) => {
        const slug = `${newAuthor()}/m`
        await list(world, model(slug, { endpoints: [endpoint({ pricing: {} })] }))
        return create(world, { model_permaslug: slug, pricing: undefined })
      },
      check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "pricing")
    },
    {
      name: "more than an account may have",
      status: 400,
      run: async (world) => {
        for (let count = 0; count < privateEndpointsPerAccount; count++) await newEndpoint(world)
        return create(world)
      },
      check: reasonIs("quota_exceeded")
    },
    ...managementOnly("createPrivateEndpoint", () => ({ body: endpointBody })),
    storeGone("PrivateEndpoints", 500, (world) => create(world))
  ]
}

const listPrivateEndpoints: CasesOf = {
  operation: "listPrivateEndpoints",
  cases: [
    {
      name: "those of the account, drafts too",
      status: 200,
      run: async (world) => {
        await newEndpoint(await world.other())
        assert.deepEqual((await world.call("listPrivateEndpoints")).json, { data: [] })
        const { declared_region: _, declared_zdr: __, ...summary } = await newEndpoint(world)
        const answer = await world.call("listPrivateEndpoints")
        assert.deepEqual(answer.json, { data: [summary] })
        return answer
      }
    },
    ...managementOnly("listPrivateEndpoints", () => ({})),
    storeGone("PrivateEndpoints", 500, (world) => world.call("listPrivateEndpoints"))
  ]
}

const getPrivateEndpoint: CasesOf = {
  operation: "getPrivateEndpoint",
  cases: [
    {
      name: "with its deployment and its prices",
      status: 200,
      run: async (world) => read(world, (await newEndpoint(world)).id),
      check: ({ json }) =>
        assert.deepInclude(json.data, {
          base_url: endpointBody.base_url,
          upstream_model_id: endpointBody.upstream_model_id,
          pricing: endpointBody.pricing,
          provider_slug: "azure"
        })
    },
    ...usual("getPrivateEndpoint")
  ]
}

const patch = (world: World, id: string, body: object) => world.call("updatePrivateEndpoint", { ...by(id), body })

const updatePrivateEndpoint: CasesOf = {
  operation: "updatePrivateEndpoint",
  cases: [
    {
      name: "what was attested stays with the deployment, and goes with it",
      status: 200,
      run: async (world) => {
        const { id } = await newEndpoint(world)
        const same = await patch(world, id, { upstream_model_id: endpointBody.upstream_model_id })
        assert.deepInclude(same.json.data, { declared_region: "us", declared_zdr: true })
        const other = await patch(world, id, { upstream_model_id: "other" })
        assert.deepInclude(other.json.data, {
          declared_region: null,
          declared_zdr: null,
          base_url: endpointBody.base_url
        })
        const moved = await patch(world, id, {
          upstream_model_id: "other",
          base_url: "https://other.example.com/v1",
          declared_zdr: false
        })
        assert.deepInclude(moved.json.data, { declared_region: null, declared_zdr: false })
        assert.deepEqual((await read(world, id)).json, moved.json)
        return moved
      }
    },
    {
      name: "one that is active",
      status: 409,
      run: async (world) => patch(world, (await activeEndpoint(world)).id, { upstream_model_id: "other" }),
      check: reasonIs("private_endpoint_state")
    },
    {
      name: "an address that is none",
      status: 400,
      run: async (world) =>
        patch(world, (await newEndpoint(world)).id, { upstream_model_id: "a", base_url: "http://example.com" })
    },
    ...usual("updatePrivateEndpoint", { upstream_model_id: "a" })
  ]
}

const pricing = { prompt: "0.5", completion: "0" }

const updatePrivateEndpointPricing: CasesOf = {
  operation: "updatePrivateEndpointPricing",
  cases: [
    {
      name: "of an active one: the next estimate stands on it",
      status: 200,
      run: async (world) => {
        const { id, slug } = await activeEndpoint(world)
        const params = { author: slug.split("/")[0] ?? "", slug: "m" }
        const shown = async () => (await world.call("listEndpoints", { params })).json.data.endpoints[1].pricing
        assert.deepInclude(await shown(), endpointBody.pricing)
        const answer = await world.call("updatePrivateEndpointPricing", { ...by(id), body: { pricing } })
        assert.deepInclude(await shown(), pricing)
        return answer
      },
      check: ({ json }) => assert.deepEqual(json.data.pricing, pricing)
    },
    refused(
      "updatePrivateEndpointPricing",
      "a price that is none",
      { ...by(nobody), body: { pricing: { prompt: "1e3", completion: "0" } } },
      { path: "pricing.prompt" }
    ),
    ...usual("updatePrivateEndpointPricing", { pricing })
  ]
}

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
        const body = { base_url: "https://other.example.com" }
        assert.strictEqual((await world.call("updatePrivateProvider", { params: { slug }, body })).status, 200)
        return act(world, "activatePrivateEndpoint", id)
      },
      check: reasonIs("private_endpoint_unvalidated")
    },
    malformedIdempotencyKey("activatePrivateEndpoint", { id: nobody }),
    ...usual("activatePrivateEndpoint")
  ]
}

const switching = (operation: "disablePrivateEndpoint" | "enablePrivateEndpoint", status: string): CasesOf => ({
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
    malformedIdempotencyKey(operation, { id: nobody }),
    ...usual(operation)
  ]
})

const deletePrivateEndpoint: CasesOf = {
  operation: "deletePrivateEndpoint",
  cases: [
    {
      name: "gone, and no other",
      status: 200,
      run: async (world) => {
        const { id, slug } = await activeEndpoint(world)
        await newEndpoint(world)
        const answer = await act(world, "deletePrivateEndpoint", id)
        assert.deepEqual(answer.json, { data: { id } })
        assert.lengthOf(await admitted(world, slug), 1)
        assert.lengthOf((await world.call("listPrivateEndpoints")).json.data, 1)
        return answer
      }
    },
    {
      name: "an active one, where only a draft was meant",
      status: 409,
      run: async (world) => {
        const { id } = await activeEndpoint(world)
        const answer = await world.call("deletePrivateEndpoint", { ...by(id), query: { draft_only: "true" } })
        assert.strictEqual(await statusOf(world, id), "active")
        return answer
      },
      check: reasonIs("private_endpoint_state")
    },
    refused(
      "deletePrivateEndpoint",
      "a flag that is none",
      { ...by(nobody), query: { draft_only: "yes" } },
      {
        path: "query.draft_only"
      }
    ),
    ...usual("deletePrivateEndpoint")
  ]
}

export const privateEndpointCases: readonly CasesOf[] = [
  createPrivateEndpoint,
  listPrivateEndpoints,
  getPrivateEndpoint,
  updatePrivateEndpoint,
  updatePrivateEndpointPricing,
  validatePrivateEndpoint,
  activatePrivateEndpoint,
  switching("disablePrivateEndpoint", "disabled"),
  switching("enablePrivateEndpoint", "active"),
  deletePrivateEndpoint
]
