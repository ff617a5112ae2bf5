/** The reference gateway. What clients find in its list of models, each unmodified. */
import { assert, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import OpenAI from "openai"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { gatewayUnderTest } from "./gatewayUnderTest.ts"

const { address, manage, newKey } = gatewayUnderTest()

const shipped = JSON.parse(
  readFileSync(new URL("../../node/src/server/sampleCatalog.json", import.meta.url), "utf8")
) as { readonly models: readonly Shipped[] }

interface Shipped {
  readonly id: string
  readonly architecture: { readonly output_modalities: readonly string[] }
  readonly endpoints: readonly object[]
}

const idsOf = (modality: string) =>
  shipped.models.filter(({ architecture }) => architecture.output_modalities.includes(modality)).map(({ id }) => id)

describe("the list of models", () => {
  const ids = ["acme/sonnet", ...idsOf("text")].sort()
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

  it("has those for embeddings apart", async () => {
    const key = await listening()
    const answer = await fetch(`${address()}/embeddings/models`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await answer.json()) as { readonly data: readonly Shipped[] }
    assert.sameMembers(
      data.map(({ id }) => id),
      idsOf("embeddings")
    )
    assert.lengthOf(data, 4)
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

  it("has each model by its id, and by its name alone", async () => {
    const client = new OpenAI({ baseURL: address(), apiKey: await listening() })
    for (const name of ["openai/gpt-4o-mini", "gpt-4o-mini", idsOf("embeddings")[0] ?? ""]) {
      const { id, object, owned_by } = await client.models.retrieve(name)
      assert.deepEqual([id, object, owned_by], [name.includes("/") ? name : `openai/${name}`, "model", "openai"])
    }
    const unknown = await client.models.retrieve("openai/nothing").catch((cause: unknown) => cause)
    assert.strictEqual((unknown as { readonly status: number }).status, 404)
  })

  it("has nothing by a path that leads elsewhere", async () => {
    const key = await listening()
    // As they stand: `fetch` would resolve them.
    const get = (path: string) =>
      new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}` }
        const { hostname, port, pathname } = new URL(address())
        request({ hostname, port, path: `${pathname}${path}`, headers }, (response) => {
          let body = ""
          response.setEncoding("utf8").on("data", (piece) => (body += piece))
          response.on("end", () => resolve({ status: response.statusCode, body }))
        })
          .on("error", reject)
          .end()
      })
    for (const name of ["..%2Fkey", "../key", "..", ".", "%2e%2e%2Fkey", "a/..", "%2E/key", "a%2Fb%2Fc", "openai%2F"]) {
      const { status, body } = await get(`/models/${name}`)
      assert.strictEqual(status, 404, `${name}: ${body}`)
      assert.strictEqual((JSON.parse(body) as { error: { code: number } }).error.code, 404)
    }
  })
})

describe("what is not served", () => {
  const said = async (method: string, path: string) => {
    const answer = await fetch(new URL(path, address()), { method })
    const body = await answer.text()
    const { type, error } = JSON.parse(body) as { readonly type?: string; readonly error: { readonly message: string } }
    return { status: answer.status, message: error.message, type }
  }
  const served = "Served are: POST /api/v1/chat/completions, /api/v1/responses, /api/v1/messages"

  it("is 404 and names what is, whatever the path and the method", async () => {
    for (const [method, path] of [
      ["POST", "/completions"],
      ["POST", "/audio/speech"],
      ["POST", "/images"],
      ["POST", "/systemone"],
      ["POST", "/chat"],
      ["GET", "/chat/completions"],
      ["GET", "/responses/resp_1"],
      ["DELETE", "/responses/resp_1"],
      ["POST", "/messages/count_tokens"]
    ] as const) {
      const { status, message } = await said(method, `/api/v1${path}`)
      assert.strictEqual(status, 404, path)
      assert.include(message, `${method} /api/v1${path} is not served here. ${served}`)
    }
  })

  it("says which base URL a client needs that has /v1 twice, or that alone", async () => {
    const twice = await said("POST", "/api/v1/v1/messages")
    assert.strictEqual(twice.status, 404)
    assert.include(twice.message, "set its base URL to this address with the path /api.")
    // In the form that Anthropic's clients read.
    assert.strictEqual(twice.type, "error")
    const alone = await said("POST", "/v1/chat/completions")
    assert.strictEqual(alone.status, 404)
    assert.include(alone.message, "to this address with the path /api/v1, or /api if it adds /v1 itself.")
  })

  it("leaves what the server answers as it is", async () => {
    assert.strictEqual((await said("DELETE", "/api/v1/keys")).status, 405)
    for (const path of ["/api/v1/scim/v2/Nothing", "/nothing"]) {
      const answer = await fetch(new URL(path, address()))
      assert.strictEqual(answer.status, 404)
      assert.notInclude(await answer.text(), "Served are")
    }
  })
})
