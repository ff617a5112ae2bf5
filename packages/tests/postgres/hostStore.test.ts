/** A store over the `SqlClient` that an Effect host has already, with name transforms and all. */
import { PgClient } from "@effect/sql-pg"
import { createGatewarden } from "@gatewarden/core"
import { makeStore } from "@gatewarden/core/store"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { layerHostStore } from "../../postgres/src/internal.ts"

const keyring = `k1:${Buffer.alloc(32, 3).toString("base64")}`
const managementKey = "host-store-management-key-0123456789"

it.live("a store over a host's SqlClient that transforms names", () =>
  Effect.promise(async () => {
    const url = await createDatabase(inject("postgres"))
    const host = PgClient.layer({
      url: Redacted.make(url),
      startupParameters: { timezone: "America/St_Johns" },
      transformResultNames: (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      transformQueryNames: (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    })
    const store = makeStore("host", layerHostStore().pipe(Layer.provide(host)))
    const gatewarden = await createGatewarden({ store, keyring, managementKey })
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = {
        authorization: `Bearer ${managementKey}`,
        "content-type": "application/json",
        "idempotency-key": "x"
      }
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const answer = await gatewarden.fetch(new Request(`http://x/api/v1${path}`, init))
      assert.strictEqual(answer.status, 200, `${method} ${path}`)
      return (await answer.json()) as { data: Record<string, unknown> & { id: string } }
    }
    const made = await call("POST", "/guardrails", { name: "Made", limit_usd: 5.5, reset_interval: "daily" })
    assert.deepEqual(await call("GET", `/guardrails/${made.data.id}`), made)
    const { data: workspace } = await call("POST", "/workspaces", { name: "Team", slug: "team" })
    assert.deepEqual((await call("GET", `/workspaces/team`)).data, workspace)
    const event = {
      id: "event",
      created_at: new Date(Date.now() - 1000).toISOString(),
      model: "acme/sonnet",
      provider: "acme",
      prompt_tokens: 3,
      completion_tokens: 4,
      cost_usd: "0.25"
    }
    await call("POST", "/gateway/usage-events", { events: [event] })
    const query = { metrics: ["tokens_total", "total_usage"], granularity: "day" }
    const { data } = await call("POST", "/analytics/query", query)
    const [row] = data["data"] as readonly Record<string, unknown>[]
    assert.deepInclude(row, {
      tokens_total: 7,
      total_usage: 0.25,
      date__day: `${event.created_at.slice(0, 10)}T00:00:00.000Z`
    })
    await gatewarden.close()
  })
)
