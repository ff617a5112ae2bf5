import { privateProvidersPerAccount } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { nowIn } from "../key/keyStates.ts"
import { endpoint, list, model, newAuthor } from "../model/catalog.ts"
import type { World } from "../World.ts"
import { activeEndpoint, bringKey, newEndpoint, newProvider, providerBody } from "./privateCases.ts"

const create = (world: World, fields: object = {}) =>
  world.call("createPrivateProvider", { body: { ...providerBody, ...fields } })
const of = (slug: string) => ({ params: { slug } })
const read = (world: World, slug: string) => world.call("getPrivateProvider", of(slug))

const bad = (name: string, fields: object, path: string): Case =>
  refused("createPrivateProvider", name, { body: { ...providerBody, ...fields } }, { path })

const absent = (
  operation: "getPrivateProvider" | "updatePrivateProvider" | "deletePrivateProvider"
): readonly Case[] => [
  { name: "unknown", status: 404, run: (world) => world.call(operation, of("nobody")) },
  {
    name: "of another account, which keeps it",
    status: 404,
    run: async (world) => {
      const other = await world.other()
      const { slug } = await newProvider(other)
      const answer = await world.call(operation, of(slug))
      assert.strictEqual((await read(other, slug)).status, 200)
      return answer
    }
  }
]

const createPrivateProvider: CasesOf = {
  operation: "createPrivateProvider",
  cases: [
    {
      name: "every default",
      status: 200,
      run: (world) => create(world, { name: "WC_IE 2.0 ", datacenters: undefined }),
      check: ({ json }, world) =>
        assert.deepEqual(json.data, {
          ...providerBody,
          name: "WC_IE 2.0 ",
          slug: "wc-ie-2-0",
          headquarters: null,
          datacenters: [],
          privacy_policy_url: null,
          created_at: nowIn(world)
        })
    },
    {
      name: "every field, and a credential for it",
      status: 200,
      run: async (world) => {
        const fields = {
          data_policy: { training: true, retains_prompts: true, prompt_retention_days: 30 },
          headquarters: "DE",
          datacenters: ["DE", "FR"],
          privacy_policy_url: "https://example.com/privacy"
        }
        const answer = await create(world, fields)
        assert.deepInclude(answer.json.data, fields)
        assert.deepEqual((await read(world, answer.json.data.slug)).json, answer.json)
        await bringKey(world, answer.json.data.slug)
        const other = await world.other()
        const refusal = await other.call("createByokCredential", { body: { provider: "acme-inference", key: "sk-1" } })
        assert.strictEqual(refusal.status, 400)
        return answer
      }
    },
    {
      name: "the same name twice",
      status: 409,
      run: async (world) => {
        await newProvider(world)
        await newProvider(await world.other())
        return create(world, { name: "ACME  inference" })
      },
      check: reasonIs("private_provider_exists")
    },
    {
      name: "the slug of a provider of the table",
      status: 409,
      run: (world) => create(world, { name: "OpenAI" }),
      check: reasonIs("private_provider_exists")
    },
    {
      name: "the name of a provider of the catalog",
      status: 409,
      run: async (world) => {
        const name = `Prov ${crypto.randomUUID().slice(0, 8)}`
        await list(
          world,
          model(`${newAuthor()}/m`, { endpoints: [endpoint({ provider_name: name, provider_slug: "p" })] })
        )
        return create(world, { name: name.toUpperCase() })
      },
      check: reasonIs("private_provider_exists")
    },
    bad("a short name", { name: "a" }, "name"),
    bad("another character", { name: "a/b" }, "name"),
    bad("no TLS", { base_url: "http://inference.example.com" }, "base_url"),
    bad("a private address", { base_url: "https://10.0.0.1/v1" }, "base_url"),
    bad("this machine", { base_url: "https://localhost/v1" }, "base_url"),
    bad("a user", { base_url: "https://a:b@inference.example.com" }, "base_url"),
    bad("a query", { base_url: "https://inference.example.com/?a" }, "base_url"),
    bad("a country that is none", { datacenters: ["Germany"] }, "datacenters.0"),
    bad(
      "days without retention",
      { data_policy: { ...providerBody.data_policy, prompt_retention_days: 1 } },
      "data_policy.prompt_retention_days"
    ),
    ...managementOnly("createPrivateProvider", () => ({ body: providerBody })),
    storeGone("PrivateProviders", 500, (world) => create(world)),
    outcomeUnknown("PrivateProviders", (world) => create(world)),
    {
      name: "more than an account may have",
      status: 400,
      run: async (world) => {
        for (let count = 0; count < privateProvidersPerAccount; count++)
          await newProvider(world, { name: `own ${count}` })
        return create(world)
      },
      check: reasonIs("quota_exceeded")
    }
  ]
}

const listPrivateProviders: CasesOf = {
  operation: "listPrivateProviders",
  cases: [
    {
      name: "those of the account, by creation",
      status: 200,
      run: async (world) => {
        await newProvider(await world.other(), { name: "theirs" })
        assert.deepEqual((await world.call("listPrivateProviders")).json, { data: [] })
        const names = [newAuthor(), newAuthor()].toReversed()
        for (const name of names) {
          await newProvider(world, { name })
          world.installation.clock.now += 1000
        }
        const answer = await world.call("listPrivateProviders")
        assert.deepEqual(
          answer.json.data.map(({ slug }: { slug: string }) => slug),
          names
        )
        return answer
      }
    },
    ...managementOnly("listPrivateProviders", () => ({})),
    storeGone("PrivateProviders", 500, (world) => world.call("listPrivateProviders"))
  ]
}

const getPrivateProvider: CasesOf = {
  operation: "getPrivateProvider",
  cases: [
    { name: "by its slug", status: 200, run: async (world) => read(world, (await newProvider(world)).slug) },
    ...absent("getPrivateProvider"),
    ...managementOnly("getPrivateProvider", () => of("nobody")),
    storeGone("PrivateProviders", 500, (world) => read(world, "nobody"))
  ]
}

const update = (world: World, slug: string, body: object) =>
  world.call("updatePrivateProvider", { params: { slug }, body })

const updatePrivateProvider: CasesOf = {
  operation: "updatePrivateProvider",
  cases: [
    {
      name: "what is sent, and nothing else",
      status: 200,
      run: async (world) => {
        const made = await newProvider(world, { headquarters: "US" })
        assert.deepEqual((await update(world, made.slug, {})).json.data, made)
        const changed = {
          display_name: "Other",
          base_url: "https://other.example.com",
          headquarters: null,
          datacenters: [],
          privacy_policy_url: "https://example.com/privacy",
          data_policy: { ...made.data_policy, training: true }
        }
        const answer = await update(world, made.slug, { ...changed, data_policy: { training: true } })
        assert.deepEqual(answer.json.data, { ...made, ...changed })
        assert.deepEqual((await read(world, made.slug)).json, answer.json)
        return answer
      }
    },
    {
      name: "the end of retention, which ends its days",
      status: 200,
      run: async (world) => {
        const kept = { training: false, retains_prompts: true, prompt_retention_days: 30 }
        const { slug } = await newProvider(world, { data_policy: kept })
        return update(world, slug, { data_policy: { retains_prompts: false } })
      },
      check: ({ json }) => assert.isNull(json.data.data_policy.prompt_retention_days)
    },
    {
      name: "days without retention",
      status: 400,
      run: async (world) =>
        update(world, (await newProvider(world)).slug, { data_policy: { prompt_retention_days: 3 } })
    },
    {
      name: "an address that is none",
      status: 400,
      run: async (world) => update(world, (await newProvider(world)).slug, { base_url: "inference" })
    },
    ...absent("updatePrivateProvider"),
    ...managementOnly("updatePrivateProvider", () => of("nobody")),
    storeGone("PrivateProviders", 500, (world) => update(world, "nobody", {}))
  ]
}

const remove = (world: World, slug: string) => world.call("deletePrivateProvider", of(slug))

const deletePrivateProvider: CasesOf = {
  operation: "deletePrivateProvider",
  cases: [
    {
      name: "gone, and no other",
      status: 200,
      run: async (world) => {
        const other = await newProvider(world, { name: "other" })
        const answer = await remove(world, (await newProvider(world)).slug)
        assert.deepEqual((await world.call("listPrivateProviders")).json, { data: [other] })
        return answer
      },
      check: ({ json }) => assert.deepEqual(json, { data: { slug: "acme-inference" } })
    },
    {
      name: "while an endpoint runs under it",
      status: 409,
      run: async (world) => {
        const { slug } = await newProvider(world)
        await activeEndpoint(await world.other())
        const { id } = await newEndpoint(world, { provider_slug: slug })
        const answer = await remove(world, slug)
        assert.strictEqual((await world.call("deletePrivateEndpoint", { params: { id } })).status, 200)
        assert.strictEqual((await remove(world, slug)).status, 200)
        return answer
      },
      check: reasonIs("private_provider_in_use")
    },
    ...absent("deletePrivateProvider"),
    ...managementOnly("deletePrivateProvider", () => of("nobody")),
    storeGone("PrivateProviders", 500, (world) => remove(world, "nobody"))
  ]
}

export const privateProviderCases: readonly CasesOf[] = [
  createPrivateProvider,
  listPrivateProviders,
  getPrivateProvider,
  updatePrivateProvider,
  deletePrivateProvider
]
