import { createGatewarden } from "@gatewarden/core"
import { makeStore, UsageLog } from "@gatewarden/core/store"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { everyStore } from "@gatewarden/testkit/stores/stores"
import { usageLogSuite } from "@gatewarden/conformance/internal/usage/UsageLog.suite"

const managementKey = "report-of-many-lines-management-key-0123456789"

const keyring = `k1:${Buffer.alloc(32, 5).toString("base64")}`

const line = (index: number): string =>
  JSON.stringify({
    ...{ id: `${index}`, created_at: "2026-06-01T00:00:00Z", model: "a/b", provider: "c" },
    ...{ prompt_tokens: 1, completion_tokens: 1, cost_usd: "0" }
  })

for (const [kind, store] of everyStore) {
  usageLogSuite(kind, () => store)

  it.effect(`a report has a limit where nobody else is served meanwhile: ${kind}`, () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* UsageLog).mostOfReport, kind === "PGlite" ? 10_000 : undefined)
    }).pipe(Effect.provide(store), Effect.orDie)
  )

  if (kind === "PGlite")
    it("a report beyond the limit is refused, and nothing of it is recorded", async () => {
      const gatewarden = await createGatewarden({ store: makeStore(kind, store), keyring, managementKey })
      const ask = (path: string, request: RequestInit) =>
        gatewarden.fetch(
          new Request(`http://localhost/api/v1${path}`, {
            ...request,
            headers: { ...request.headers, authorization: `Bearer ${managementKey}` }
          })
        )
      const refused = await ask("/gateway/usage-events", {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: Array.from({ length: 10_001 }, (_, index) => line(index)).join("\n")
      })
      const { error } = (await refused.json()) as { readonly error: { readonly metadata: object } }
      assert.strictEqual(refused.status, 413)
      assert.deepInclude(error.metadata, { reason: "payload_too_large" })
      const exported = await ask("/gateway/usage-events", { headers: { accept: "application/x-ndjson" } })
      assert.deepEqual([exported.status, await exported.text()], [200, ""])
      await gatewarden.close()
    })
}
