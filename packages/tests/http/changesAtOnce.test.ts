/** How many changes of an account a process makes at once: others find connections of the store. Rule: requests#changes-at-once. */
import { createGatewarden, type Gatewarden } from "@gatewarden/core"
import { layerMemory } from "@gatewarden/core/effect"
import { makeStore } from "@gatewarden/core/store"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { wrapPorts } from "@gatewarden/conformance/internal/wrapPorts"

const managementKey = "changes-at-once-management-key-0123456789"

/** The calls that change something and have begun, each with what ends it. */
let begun: (() => void)[]
let isHeld: boolean

const holding = wrapPorts(layerMemory, (port, effect, method) => {
  const isChange = ["ApiKeys.insert", "Presets.append", "IdempotencyRecords.complete"].includes(`${port}.${method}`)
  const held = Effect.suspend(() =>
    isHeld ? Effect.callback<void>((resume) => void begun.push(() => resume(Effect.void))) : Effect.void
  )
  return isChange ? Effect.andThen(held, effect) : effect
})

describe("changes of an account", () => {
  let gatewarden: Gatewarden
  let other: string
  let hash: string

  const send = async (key: string, path: string, body: object, headers: Record<string, string>): Promise<number> => {
    const answer = await gatewarden.fetch(
      new Request(`http://localhost/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body)
      })
    )
    await answer.text()
    return answer.status
  }

  beforeEach(async () => {
    begun = []
    isHeld = false
    gatewarden = await createGatewarden({ store: makeStore("memory", holding), managementKey })
    other = (await gatewarden.createAccount("other"))?.managementKey ?? assert.fail()
    const made = await gatewarden.fetch(
      new Request("http://localhost/api/v1/keys", {
        method: "POST",
        headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
        body: '{"name":"k"}'
      })
    )
    hash = ((await made.json()) as { readonly data: { readonly hash: string } }).data.hash
    isHeld = true
  })
  afterEach(() => gatewarden.close())

  it.each([
    { name: "without a header", path: "/keys", body: () => ({ name: "k" }), isRepeatable: false },
    {
      name: "with an entity in the answer",
      path: "/presets/p/chat/completions",
      body: () => ({ model: "acme/none", messages: [{ role: "user", content: "x" }] }),
      isRepeatable: false
    },
    { name: "with an Idempotency-Key", path: "/keys", body: () => ({ name: "k" }), isRepeatable: true },
    {
      name: "admissions with an Idempotency-Key",
      path: "/gateway/admissions",
      body: () => ({ api_key_hash: hash, model: "acme/none" }),
      isRepeatable: true
    }
  ])("are made eight at once, whatever another account asks: $name", async ({ path, body, isRepeatable }) => {
    const headers = (index: number) =>
      isRepeatable ? { "idempotency-key": `${index}` } : ({} as Record<string, string>)
    const sent = Array.from({ length: 20 }, (_, index) => send(managementKey, path, body(), headers(index)))
    await vi.waitFor(() => assert.lengthOf(begun, 8))
    const another = send(other, "/keys", { name: "k" }, {})
    await vi.waitFor(() => assert.lengthOf(begun, 9))
    // The other one came last.
    begun.pop()?.()
    assert.strictEqual(await another, 200)
    assert.lengthOf(begun, 8)
    isHeld = false
    for (const end of begun) end()
    const statuses = await Promise.all(sent)
    assert.isTrue(statuses.every((status) => status === 200 || status === 201))
  })
})
