/**
 * A gateway that answers before it settles and is killed in between: the hold outlives it, and is charged in full.
 *
 * Rule: admissions#charge-on-expiry. A lock on the table of events keeps the settlement from its end, and the instant of expiry is moved in
 * the database, whose clock it is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "pg"
import { afterAll, beforeAll, inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { gateway as program, type ServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { type ChatUpstream, completes, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"

const { start } = serverFleet()

let upstream: ChatUpstream
beforeAll(async () => void (upstream = await startChatUpstream()))
afterAll(() => upstream?.close())

const ask = ({ url }: ServerProcess, key: string) =>
  fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "openai/gpt-4o-mini",
      max_tokens: 10_000,
      messages: [{ role: "user", content: "Hello" }]
    })
  })

const keyOf = async ({ url }: ServerProcess, key: string) => {
  const { json } = await callServer(url, "GET", "/key", { key })
  return (json as { readonly data: { readonly usage: number; readonly limit_remaining: number } }).data
}

describe("a gateway that is killed between an answer and its settlement", () => {
  for (const settle of ["behind", "before"] as const)
    it(
      settle === "behind"
        ? "leaves a hold that is charged in full when it expires"
        : "has not answered, where answers wait for their settlement, and its hold is given back",
      async () => {
        upstream.plays("openai", completes("hi", { prompt_tokens: 1_000, completion_tokens: 1_000 }))
        const database = await createMigratedDatabase(inject("postgres"))
        const options = {
          program,
          environment: {
            DATABASE_URL: database,
            GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
            GATEWAY_SETTLE: settle,
            GATEWAY_UPSTREAMS: JSON.stringify({ openai: { base_url: upstream.baseUrl("openai") } }),
            OPENAI_API_KEY: "sk-shared-openai-0123456789"
          }
        }
        const first = await start(options)
        const { json } = await callServer(first.url, "POST", "/keys", { body: { name: "app", limit: 1 } })
        const { key } = json as { readonly key: string }
        const client = new Client({ connectionString: database })
        await client.connect()
        try {
          await client.query("begin")
          await client.query("lock table gatewarden_usage_event in exclusive mode")
          const answering = ask(first, key).catch(() => undefined)
          if (settle === "behind") assert.strictEqual((await answering)?.status, 200)
          /** Ends the settlement, which would go on without its client. */
          const [settling] = await eventually("the settlement to wait", async () => {
            const { rows } = await client.query(
              "select pid from pg_locks where relation = 'gatewarden_usage_event'::regclass and not granted"
            )
            return rows.length > 0 ? rows : undefined
          })
          await first.kill()
          if (settle === "before") assert.isUndefined(await answering)
          await client.query("select pg_terminate_backend($1)", [settling.pid])
          await eventually("the settlement to end", async () => {
            // A transaction sees the processes of its first look otherwise.
            await client.query("select pg_stat_clear_snapshot()")
            const { rows } = await client.query("select from pg_stat_activity where pid = $1", [settling.pid])
            return rows.length === 0 ? true : undefined
          })
          await client.query("rollback")

          const { rows: holds } = await client.query(
            "select state, is_charged_on_expiry as charged, (full_nanos / 1e9)::float8 as usd from gatewarden_hold"
          )
          const [{ usd }] = holds
          assert.deepEqual(holds, [{ state: "open", charged: settle === "behind", usd }])
          assert.isAbove(usd, 0)
          const { rows: events } = await client.query("select from gatewarden_usage_event")
          assert.lengthOf(events, 0)

          const second = await start(options)
          assert.strictEqual((await keyOf(second, key)).usage, 0)
          await client.query("update gatewarden_hold set expires_at = now()")
          const spent = settle === "behind" ? usd : 0
          assert.strictEqual((await keyOf(second, key)).usage, spent)
          // The next request is decided on it.
          assert.strictEqual((await ask(second, key)).status, 200)
          const swept = await eventually("one that is settled beside it", async () => {
            const { rows } = await client.query("select state from gatewarden_hold")
            return rows.length === 1 ? rows : undefined
          })
          assert.deepEqual(swept, [{ state: settle === "behind" ? "charged" : "expired" }])
          const own = 0.00075
          const { usage, limit_remaining } = await keyOf(second, key)
          assert.closeTo(usage, spent + own, 1e-12)
          assert.closeTo(limit_remaining, 1 - spent - own, 1e-12)
          assert.strictEqual(await second.stop(), 0)
        } finally {
          await client.end()
        }
      },
      120_000
    )
})
