import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, storeGone, unchanged } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "./catalog.ts"

const providers = async (world: World, prefix: string) => {
  const answer = await world.call("listProviders")
  return { answer, own: answer.json.data.filter(({ slug }: { readonly slug: string }) => slug.startsWith(prefix)) }
}

export const listProviders: CasesOf = {
  operation: "listProviders",
  cases: [
    {
      name: "each once, by slug, with the first that the catalog tells",
      status: 200,
      run: async (world) => {
        const slug = newAuthor()
        const of = (name: string, provider_slug: string, provider_info?: object) =>
          endpoint({ tag: name, provider_name: name, provider_slug, provider_info })
        await list(
          world,
          model(`${slug}/a`, { endpoints: [of("Last", `${slug}-z`), of("First", slug, { headquarters: "FR" })] }),
          model(`${slug}/b`, {
            endpoints: [
              of("Renamed", slug, {
                headquarters: "US",
                datacenters: ["US", "FR"],
                privacy_policy_url: "https://example.com/privacy",
                status_page_url: null
              })
            ]
          })
        )
        const { answer, own } = await providers(world, slug)
        assert.deepEqual(own, [
          {
            name: "First",
            slug,
            privacy_policy_url: "https://example.com/privacy",
            headquarters: "FR",
            datacenters: ["US", "FR"]
          },
          { name: "Last", slug: `${slug}-z`, privacy_policy_url: null }
        ])
        return answer
      }
    },
    {
      name: "an account's own models change nothing that the operator tells",
      status: 200,
      run: async (world) => {
        const slug = newAuthor()
        await list(world, model(`${slug}/b`, { endpoints: [endpoint({ provider_slug: slug, provider_name: "True" })] }))
        const body = {
          models: [
            model(`${slug}/a`, {
              endpoints: [
                endpoint({ tag: slug, provider_slug: slug, provider_name: "False" }),
                endpoint({ tag: `${slug}-own`, provider_slug: `${slug}-own`, provider_name: "Own" })
              ]
            })
          ]
        }
        assert.strictEqual((await world.call("putCatalog", { query: { account: "own" }, body })).status, 200)
        const { answer, own } = await providers(world, slug)
        assert.deepEqual(
          own.map(({ name }: { readonly name: string }) => name),
          ["True", "Own"]
        )
        assert.lengthOf((await providers(await world.other(), slug)).own, 1)
        return answer
      }
    },
    {
      name: "refused in a catalog: an address that is none",
      status: 200,
      run: async (world) => {
        const write = (provider_info: object) =>
          world.call("putCatalog", {
            body: { models: [model(`${newAuthor()}/m`, { endpoints: [endpoint({ provider_info })] })] }
          })
        assert.strictEqual((await write({ privacy_policy_url: "javascript:alert(1)" })).status, 400)
        assert.strictEqual((await write({ headquarters: "France" })).status, 400)
        return write({ status_page_url: "https://status.example.com" })
      }
    },
    unchanged("listProviders"),
    ...accessCases("listProviders", () => ({})),
    storeGone("ModelCatalog", 500, (world) => world.call("listProviders"))
  ]
}
