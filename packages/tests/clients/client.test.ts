/** The typed client: every operation's example through it, in process and over a socket, and what a bundle of it holds. */
import { type Client, createClient, GatewardenError } from "@gatewarden/client"
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { createGatewarden, type Gatewarden, memory } from "@gatewarden/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { fetchDoor, serverDoor } from "@gatewarden/conformance/internal/doors"
import { preparations } from "@gatewarden/testkit/http/preparations"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"
import { bundleForWorker } from "@gatewarden/testkit/worker/bundleForWorker"
import type { World } from "@gatewarden/conformance/internal/World"

const keyOf = ({ id, access }: OperationShape, world: World): string | null =>
  id === "putCatalog"
    ? world.operatorKey
    : { managementKey: world.managementKey, anyKey: world.normalKey, anyone: null }[access]

/** The example of an operation as the input of its method. */
const inputOf = async (operation: OperationShape, world: World) => {
  const { example, body } = operation
  const prepared = (await preparations[operation.id as OperationId]?.(world)) ?? {}
  const { params, query, body: sent, key } = { key: keyOf(operation, world), ...example, ...prepared }
  return {
    ...(operation.params === undefined ? {} : { params }),
    ...(operation.query === undefined ? {} : { query }),
    ...(body === undefined ? {} : sent instanceof FormData ? { file: sent.get("file") } : { body: sent }),
    key
  }
}

/** The methods as one who reads the table calls them. */
type Methods = Readonly<Record<string, (input: unknown) => Promise<unknown>>>

const ways = [
  {
    name: "in process",
    door: fetchDoor,
    client: ({ door }: Installation) =>
      createClient({ fetch: (request) => door.fetch(request.url, request), baseUrl: `${door.origin}/api/v1` })
  },
  {
    name: "over a socket",
    door: serverDoor,
    client: ({ door, basePath }: Installation) => createClient({ baseUrl: `${door.origin}${basePath}/` })
  }
]

for (const { name, door, client: clientOf } of ways)
  describe(`every operation's example through the client, ${name}`, () => {
    let installation: Installation
    let client: Client
    beforeAll(async () => {
      installation = await Installation.start({ store: stores.memory, door })
      client = clientOf(installation)
    })
    afterAll(() => installation?.stop())

    for (const operation of operations as readonly OperationShape[])
      it(operation.id, async () => {
        const input = await inputOf(operation, await installation.newWorld())
        const answer = await (client as unknown as Methods)[operation.id]?.(input)
        const parsed = operation.success.schema.safeParse(answer)
        assert.isTrue(parsed.success, parsed.error?.message)
      })
  })

describe("the client of an instance in this process", () => {
  let gatewarden: Gatewarden
  let client: Client
  beforeAll(async () => {
    gatewarden = await createGatewarden({ store: memory(), basePath: "/somewhere/else" })
    client = createClient({ fetch: gatewarden.fetch, key: () => gatewarden.generatedKey })
  })
  afterAll(() => gatewarden?.close())

  const rejection = async (call: Promise<unknown>): Promise<GatewardenError> => {
    try {
      await call
    } catch (cause) {
      assert.instanceOf(cause, GatewardenError)
      return cause
    }
    return assert.fail("did not reject")
  }

  it("creates, reads, changes and lists", async () => {
    const { data } = await client.createGuardrail({ body: { name: "Production" } })
    const changed = await client.updateGuardrail({ params: { id: data.id }, body: { description: "Careful" } })
    assert.strictEqual(changed.data.description, "Careful")
    const { data: all } = await client.listGuardrails({ query: { limit: 1, offset: 0 } })
    assert.strictEqual(all.length, 1)
    assert.deepEqual((await client.getGuardrail({ params: { id: data.id } })).data, changed.data)
  })

  it("leaves out a body without required fields", async () => {
    const { data } = await client.createKey({ body: { name: "Rotated" } })
    const rotated = await client.rotateKey({ params: { hash: data.hash } })
    assert.strictEqual(rotated.data.hash, data.hash)
  })

  it("uploads a file", async () => {
    const kept = await client.uploadFile({ file: new Blob(["%PDF-1.7"]), filename: "handbook.pdf" })
    assert.deepInclude(kept, { filename: "handbook.pdf", mime_type: "application/pdf", size_bytes: 8 })
  })

  it("answers rows of analytics whole, and takes usage in lines", async () => {
    const at = new Date(Date.now() - 60_000).toISOString()
    const counted = { created_at: at, model: "acme/sonnet", provider: "acme", prompt_tokens: 3, completion_tokens: 1 }
    const event = (id: string) => ({ id, ...counted, cost_usd: "0.5" })
    const lines = async function* () {
      yield event("one")
      yield event("two")
    }
    const recorded = await client.recordUsageEvents({ lines: lines() })
    assert.deepInclude(recorded, { data: { accepted: 2, duplicates: 0 } })
    const { data } = await client.queryAnalytics({ body: { metrics: ["request_count"], dimensions: ["model"] } })
    assert.deepEqual(data.data, [{ model: "acme/sonnet", request_count: 2 }])
  })

  it("rejects with what the server says of a refusal", async () => {
    const error = await rejection(client.createGuardrail({ body: { name: "", limit_usd: 5 } }))
    assert.deepInclude({ ...error }, { operation: "createGuardrail", status: 400, retryAfter: undefined })
    assert.includeMembers(
      error.issues.map(({ path }) => path),
      ["name"]
    )
    assert.match(error.requestId ?? "", /^[0-9a-f-]{36}$/)
    assert.strictEqual((await rejection(client.getCurrentKey({ key: null }))).reason, "missing_authentication")
  })

  it("sends Idempotency-Key and If-None-Match", async () => {
    const once = { body: { name: "Once" }, headers: { "Idempotency-Key": "only-once" } }
    assert.deepEqual(await client.createGuardrail(once), await client.createGuardrail(once))
    const { headers } = await client.call("getOpenApi")
    const again = { headers: { "If-None-Match": headers.get("etag") ?? assert.fail("no ETag") } }
    assert.deepInclude(await client.call("getOpenApi", again), { status: 304, body: undefined })
  })

  it("rejects with the reason of the signal that aborts it, before it is sent or meanwhile", async () => {
    const told = async (call: Promise<unknown>) =>
      call.then(
        () => "answered",
        (cause: unknown) => String(cause)
      )
    const before = AbortSignal.abort(new Error("no longer wanted"))
    assert.strictEqual(await told(client.listKeys({ signal: before })), "Error: no longer wanted")
    const meanwhile = new AbortController()
    const calling = told(client.listKeys({ signal: meanwhile.signal }))
    meanwhile.abort(new Error("left"))
    assert.strictEqual(await calling, "Error: left")
  })
})

describe("a bundle with the client", () => {
  it("has nothing of Effect, nor of the core", async () => {
    const entry = fileURLToPath(new URL("../../client/src/index.ts", import.meta.url))
    const { inputs, imports } = await bundleForWorker({ entry })
    assert.deepEqual(imports, [])
    const packages = inputs.map((input) => /(?:packages|node_modules)\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
    assert.sameMembers([...new Set(packages)], ["client", "contract", "zod"])
  })
})
