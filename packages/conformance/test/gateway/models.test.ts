/** The reference gateway. What clients find in its list of models, each unmodified. */
import { assert, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import OpenAI from "openai"
import { readFileSync } from "node:fs"
import { gatewayUnderTest } from "./gatewayUnderTest.ts"

const { address, manage, newKey } = gatewayUnderTest()

const shipped = JSON.parse(
  readFileSync(new URL("../../../../examples/gateway/catalog.json", import.meta.url), "utf8")
) as { readonly models: readonly { readonly id: string; readonly endpoints: readonly object[] }[] }

describe("the list of models", () => {
  const ids = ["acme/sonnet", ...shipped.models.map(({ id }) => id)].sort()
  const listening = async () => {
    await manage("PUT", "/gateway/catalog", shipped)
    return (await newKey()).key
  }

  it("is what `openai` lists", async () => {
    const client = new OpenAI({ baseURL: address(), apiKey: await listening() })
    const found: string[] = []
    for await (const { id } of client.models.list()) found.push(id)
    assert.deepEqual(found, ids)
  })

  it("is what `@openrouter/sdk` lists, page after page, and so are the endpoints of each", async () => {
    const client = new OpenRouter({ serverURL: address(), apiKey: await listening() })
    const found: string[] = []
    for await (const { result } of await client.models.list({ limit: 7 })) {
      assert.isAtMost(result.data.length, 7)
      for (const { id, pricing } of result.data) {
        found.push(id)
        assert.match(pricing.prompt, /^0\.\d+$/)
        const [author = "", slug = ""] = id.split("/")
        assert.strictEqual((await client.endpoints.list({ author, slug })).data.id, id)
      }
    }
    assert.deepEqual(found, ids)
  })
})
