import { privateEndpointsPerAccount } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import { nobody } from "../http/nounCases.ts"
import { nowIn } from "../key/keyStates.ts"
import { endpoint, list, model, newAuthor } from "../model/catalog.ts"
import { regionalKey } from "../byok/declaredRegions.ts"
import type { World } from "../World.ts"
import { deploymentUrl } from "./Deployments.ts"
import {
  act,
  activeEndpoint,
  admitted,
  bringKey,
  by,
  endpointBody,
  listOwnModel,
  movedEndpoint,
  newEndpoint,
  newProvider,
  ownModel,
  patch,
  read,
  statusOf,
  usual,
  validate
} from "./privateCases.ts"

const create = async (world: World, fields: object = {}) => {
  await listOwnModel(world)
  return world.call("createPrivateEndpoint", { body: { ...endpointBody, ...fields } })
}

const bad = (name: string, fields: object, path: string, reason?: string): Case => ({
  name,
  status: 400,
  run: (world) => create(world, fields),
  check: ({ json }) => {
    assert.strictEqual(json.error.metadata.issues[0].path, path)
    if (reason !== undefined) assert.strictEqual(json.error.metadata.reason, reason)
  }
})

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
      name: "validated with the key alone of one that is JSON with its region",
      status: 200,
      run: async (world) => {
        const key = regionalKey("us", "sk-regional-0123456789")
        await world.call("createByokCredential", { body: { provider: "openai", key } })
        const made = await create(world, { provider_slug: "openai", activate: { workspace_id: world.workspace_id } })
        assert.deepInclude(world.installation.deployments.received.at(-1), {
          authorization: "Bearer sk-regional-0123456789"
        })
        return made
      }
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
      name: "activated at once, 10 in any minute, as validations are; drafts are not limited",
      status: 429,
      run: async (world) => {
        const activate = { workspace_id: world.workspace_id }
        for (let left = 9; left >= 0; left--) {
          const counted = await create(world, { activate })
          assert.strictEqual(counted.status, 409)
          assert.match(counted.headers.get("ratelimit") ?? "", new RegExp(`^"minute";r=${left};t=`))
        }
        const answer = await create(world, { activate })
        assert.strictEqual((await validate(world, nobody)).status, 429)
        const draft = await create(world)
        assert.strictEqual(draft.status, 200)
        assert.isNull(draft.headers.get("ratelimit"))
        assert.lengthOf((await world.call("listPrivateEndpoints")).json.data, 11)
        return answer
      },
      check: (answer) => {
        reasonIs("rate_limited")(answer)
        assert.strictEqual(answer.headers.get("retry-after"), "60")
        assert.strictEqual(answer.headers.get("ratelimit-policy"), '"minute";q=10;w=60')
        assert.match(answer.headers.get("ratelimit") ?? "", /^"minute";r=0;t=60/)
      }
    },
    {
      name: "a key for models and byok alone: neither the credential nor prompts are sent anywhere",
      status: 403,
      run: async (world) => {
        const made = async (...resources: readonly string[]) =>
          (await world.call("createManagementKey", { body: { name: "r", restrictions: { resources } } })).json.key
        await listOwnModel(world)
        await bringKey(world)
        const { deployments } = world.installation
        const before = deployments.received.length
        const body = { ...endpointBody, activate: { workspace_id: world.workspace_id } }
        const answer = await world.call("createPrivateEndpoint", { key: await made("models", "byok"), body })
        assert.lengthOf(deployments.received, before)
        const key = await made("models", "byok", "prompts")
        const allowed = await world.call("createPrivateEndpoint", { key, body })
        assert.strictEqual(allowed.status, 200)
        assert.lengthOf(deployments.received, before + 1)
        return answer
      },
      check: (answer) => {
        reasonIs("restricted_key")(answer)
        assert.include(answer.json.error.metadata.issues[0].message, "needs prompts")
      }
    },
    ...managementOnly("createPrivateEndpoint", () => ({ body: endpointBody })),
    storeGone("PrivateEndpoints", 500, (world) => create(world)),
    {
      name: "more than an account may have",
      status: 400,
      run: async (world) => {
        for (let count = 0; count < privateEndpointsPerAccount; count++) await newEndpoint(world)
        return create(world)
      },
      check: reasonIs("quota_exceeded")
    }
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
    {
      name: "one whose provider moved, which is a draft",
      status: 200,
      run: async (world) => {
        const { id } = await movedEndpoint(world)
        const answer = await world.call("deletePrivateEndpoint", { ...by(id), query: { draft_only: "true" } })
        assert.strictEqual((await read(world, id)).status, 404)
        return answer
      }
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
  deletePrivateEndpoint
]
