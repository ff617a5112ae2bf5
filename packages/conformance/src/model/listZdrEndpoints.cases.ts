import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, storeGone, unchanged } from "../http/Case.ts"
import { endpoint, list, model, newAuthor, record } from "./catalog.ts"

const read = (world: World, headers: Record<string, string> = {}) => world.call("listZdrEndpoints", { headers })

export const listZdrEndpoints: CasesOf = {
  operation: "listZdrEndpoints",
  cases: [
    {
      name: "those that keep no data, as the endpoints of their model",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const forgets = { zero_data_retention: true }
        await list(
          world,
          model(`${author}/a`, {
            canonical_slug: `${author}/a-1`,
            endpoints: [
              endpoint({ tag: "keeps" }),
              endpoint({ ...forgets, tag: "x", provider_info: { headquarters: "FR" } }),
              endpoint({ ...forgets, tag: "y" })
            ]
          }),
          model(`${author}/b`, { endpoints: [endpoint({ ...forgets, status: -2 })] }),
          model(`${author}/c`)
        )
        const created_at = new Date(world.installation.clock.now - 60_000).toISOString()
        await record(world, { model: `${author}/a-1`, endpoint_tag: "y", created_at, latency_ms: 120 })
        const of = async (slug: string) => {
          const answer = await world.call("listEndpoints", { params: { author, slug } })
          return answer.json.data.endpoints
        }
        const expected = [...(await of("a")).slice(1), ...(await of("b"))]
        const answer = await read(world)
        const own = answer.json.data.filter(({ model_id }: { readonly model_id: string }) =>
          model_id.startsWith(`${author}/`)
        )
        assert.deepEqual(own, expected)
        assert.strictEqual(own[1].latency_last_30m.p50, 120)
        assert.strictEqual(own[2].status, "-2")
        return answer
      }
    },
    {
      name: "with an integer as status for the public client",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`, { endpoints: [endpoint({ zero_data_retention: true, status: -5 })] }))
        const statusIn = async (headers: Record<string, string>) => {
          const { json } = await read(world, headers)
          return json.data.find(({ model_id }: { readonly model_id: string }) => model_id === `${author}/m`).status
        }
        assert.strictEqual(await statusIn({}), "-5")
        assert.strictEqual(await statusIn({ "user-agent": "speakeasy-sdk/typescript 1.3.19" }), -5)
        assert.strictEqual(await statusIn({ "user-agent": "OpenAI/JS 6.49.0" }), "-5")
        return read(world)
      }
    },
    unchanged("listZdrEndpoints"),
    ...accessCases("listZdrEndpoints", () => ({})),
    storeGone("ModelCatalog", 500, (world) => read(world))
  ]
}
