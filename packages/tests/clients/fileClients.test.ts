/**
 * Files through unmodified clients: `openai` against the provider that stands in for the real one in all other tests, and, in the same words,
 * against Gatewarden; `@openrouter/sdk` where it reads a provider's files. Rule: files#uploads.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { HTTPClient, OpenRouter } from "@openrouter/sdk"
import OpenAI, { BadRequestError, toFile } from "openai"
import type { FileObject } from "openai/resources/files"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { bringKey } from "@gatewarden/conformance/internal/file/fileCases"
import { madeContent } from "@gatewarden/conformance/internal/file/fileProvidersAt"

let installation: Installation
beforeAll(async () => {
  installation = await Installation.start({ store: layerMemory, door: fetchDoor })
})
afterAll(() => installation?.stop())

/** Everything of a list, page after page. */
const all = async <A extends { readonly id: string }>(pages: AsyncIterable<A>): Promise<readonly A[]> => {
  const found: A[] = []
  for await (const one of pages) found.push(one)
  return found
}

const file = () => toFile(new TextEncoder().encode("Hello"), "notes.txt")

describe("files through `openai`", () => {
  it("the provider of the tests is one to it", async () => {
    const client = new OpenAI({
      apiKey: "sk-making-directly",
      baseURL: `${installation.upstream.baseUrls.openai}/v1`,
      maxRetries: 0
    })
    const made = await client.files.create({ file: await file(), purpose: "user_data" })
    assert.deepEqual(await client.files.retrieve(made.id), made)
    const found = await all(client.files.list({ limit: 1, order: "asc" }))
    assert.deepEqual(
      found.map(({ id, purpose }) => [id, purpose]),
      [
        ["file-made", "batch_output"],
        [made.id, "user_data"]
      ]
    )
    const latest = await all(client.files.list())
    assert.strictEqual(latest[0]?.id, made.id)
    assert.deepEqual(new Uint8Array(await (await client.files.content("file-made")).arrayBuffer()), madeContent)
    assert.isTrue((await client.files.delete(made.id)).deleted)
  })

  it("`@openrouter/sdk` lists and downloads those of a provider", async () => {
    const world = await installation.newWorld()
    await bringKey(world, "making")
    const client = new OpenRouter({
      apiKey: world.normalKey,
      serverURL: `${installation.door.origin}${installation.basePath}`,
      httpClient: new HTTPClient({
        fetcher: (input, init) =>
          input instanceof Request
            ? installation.door.fetch(input.url, input)
            : installation.door.fetch(String(input), init ?? {})
      }),
      retryConfig: { strategy: "none" }
    })
    const provider = "openai"
    const found: unknown[] = []
    for await (const { result } of await client.files.list({ provider, limit: 1 })) {
      assert.strictEqual(result.shape, "openrouter")
      if (result.shape === "openrouter") found.push(...result.data.map(({ id, downloadable }) => [id, downloadable]))
    }
    assert.deepEqual(found, [["file-made", true]])
    const content = await new Response(await client.files.download({ provider, fileId: "file-made" })).arrayBuffer()
    assert.deepEqual(new Uint8Array(content), madeContent)
  })

  it("Gatewarden's files are OpenAI's to it", async () => {
    const world = await installation.newWorld()
    const client = new OpenAI({
      apiKey: world.managementKey,
      baseURL: `${installation.door.origin}${installation.basePath}`,
      fetch: (input, init) => installation.door.fetch(String(input), init ?? {}),
      maxRetries: 0
    })
    const made: readonly [FileObject, FileObject] = [
      await client.files.create({ file: await file(), purpose: "user_data" }),
      await client.files.create({ file: await file(), purpose: "user_data" })
    ]
    assert.deepEqual(Object.keys(made[0]).sort(), [
      "bytes",
      "created_at",
      "filename",
      "id",
      "object",
      "purpose",
      "status"
    ])
    const byId = (files: readonly { readonly id: string }[]) => files.map(({ id }) => id).sort()
    assert.deepEqual(byId(await all(client.files.list({ limit: 1 }))), byId(made))
    assert.deepEqual(await client.files.retrieve(made[0].id), made[0])
    assert.deepEqual(await client.files.delete(made[0].id), { id: made[0].id, object: "file", deleted: true })
    await bringKey(world, "making")
    const query = { provider: "openai" }
    const upstream = await all(client.files.list({}, { query }))
    assert.deepInclude(upstream[0], { id: "file-made", purpose: "batch_output", bytes: 1_000_000 })
    const content = await client.files.content("file-made", { query })
    assert.deepEqual(new Uint8Array(await content.arrayBuffer()), madeContent)
    const refusal = await client.files.content(made[1].id).catch((cause: unknown) => cause)
    assert.instanceOf(refusal, BadRequestError)
  })
})
