/** Calls of addresses that an account chose, on a store that has one connection. */
import { assert, describe, it } from "@effect/vitest"
import { createGatewarden } from "@gatewarden/core"
import { Effect } from "effect"
import { pglite } from "../../postgres/src/pglite.ts"

const managementKey = "calls-out-management-key-0123456789-01"

describe("a test of a destination or an alert channel with an Idempotency-Key", () => {
  it.live(
    "keeps no transaction open while the other side answers",
    () =>
      Effect.promise(async () => {
        const ask = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
          const sent = { authorization: `Bearer ${managementKey}`, "content-type": "application/json", ...headers }
          const made = { method, headers: sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
          return gatewarden.fetch(new Request(`http://localhost/api/v1${path}`, made))
        }
        const idOf = async (answer: Promise<Response>) =>
          ((await (await answer).json()) as { readonly data: { readonly id: string } }).data.id
        const statuses: (number | "waits")[] = []
        // Another request uses the store before the other side answers.
        const fetch = async (): Promise<Response> => {
          const waits = new Promise<"waits">((resolve) => setTimeout(() => resolve("waits"), 3_000))
          const read = ask("POST", "/keys", { name: "meanwhile" }).then(({ status }) => status)
          statuses.push(await Promise.race([read, waits]))
          return new Response(null, { status: 204 })
        }
        const keyring = `k1:${Buffer.alloc(32, 3).toString("base64")}`
        const gatewarden = await createGatewarden({ store: pglite(), keyring, managementKey, fetch })
        try {
          const config = { url: "https://platform.example.com/hook" }
          const destination = { type: "webhook", name: "platform", config }
          for (const path of [
            `/observability/destinations/${await idOf(ask("POST", "/observability/destinations", destination))}/test`,
            `/gateway/alert-channels/${await idOf(ask("POST", "/gateway/alert-channels", destination))}/test`
          ]) {
            const once = { "idempotency-key": "once" }
            assert.strictEqual((await ask("POST", path, undefined, once)).status, 200)
            assert.strictEqual((await ask("POST", path, undefined, once)).headers.get("idempotent-replayed"), "true")
          }
          assert.deepStrictEqual(statuses, [200, 200])
        } finally {
          await gatewarden.close()
        }
      }),
    { tags: ["deep"] }
  )
})
