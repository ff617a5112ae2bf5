/**
 * Analytics that take too long: 408 in time, and nothing left running where that can be helped.
 *
 * Rule: analytics#timeouts. On PostgreSQL a lock makes every query wait for as long as a test likes.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createGatewarden } from "@gatewarden/core"
import { postgres } from "@gatewarden/postgres"
import { inject } from "vitest"
import { callServer, type ServerAnswer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { openConnection, type OpenConnection } from "@gatewarden/testkit/stores/openConnection"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"

/** Far more than a timeout of a fraction of a second needs on a slow machine, far less than not timing out takes. */
const inTimeMillis = 15_000

const keyring = `k1:${Buffer.alloc(32, 7).toString("base64")}`

const query = (url: string, more: object = {}, signal?: AbortSignal): Promise<ServerAnswer> =>
  callServer(url, "POST", "/analytics/query", {
    body: { metrics: ["request_count"], ...more },
    ...(signal === undefined ? {} : { signal })
  })

const assertTimedOut = ({ status, json }: ServerAnswer) => {
  assert.strictEqual(status, 408)
  assert.strictEqual(json.error.message, "Operation timed out. Please try again later.")
  assert.strictEqual(json.error.metadata.reason, "analytics_timeout")
}

const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> => {
  const start = performance.now()
  return [await work(), performance.now() - start]
}

describe("analytics on PostgreSQL", () => {
  let databaseUrl: string
  let impatient: ServerProcess
  let patient: ServerProcess
  let holder: OpenConnection
  let watcher: OpenConnection

  beforeAll(async () => {
    databaseUrl = await createMigratedDatabase(inject("postgres"))
    // Background work would wait for the lock, too.
    const environment = { DATABASE_URL: databaseUrl, GATEWARDEN_KEYRING: keyring, GATEWARDEN_BACKGROUND: "0" }
    ;[impatient, patient] = await Promise.all([
      startServerProcess({ environment: { ...environment, GATEWARDEN_ANALYTICS_TIMEOUT_MS: "500" } }),
      startServerProcess({ environment: { ...environment, GATEWARDEN_ANALYTICS_TIMEOUT_MS: "600000" } })
    ])
    ;[holder, watcher] = await Promise.all([openConnection(databaseUrl), openConnection(databaseUrl)])
  })
  afterAll(async () => {
    await Promise.all([holder?.close(), watcher?.close(), impatient?.kill(), patient?.kill()])
  })

  /** Asked on a connection of its own: within one transaction the answer stays the same. */
  const running = async () => {
    const rows = await watcher.query(`
      select query from pg_stat_activity
      where datname = current_database() and application_name like 'gatewarden%' and state = 'active'`)
    return rows.length
  }
  const whenRunning = (count: number) =>
    eventually(`${count} statements running`, async () => ((await running()) === count ? true : undefined))

  /** No query on usage events gets anywhere meanwhile. */
  const whileLocked = async (work: () => Promise<void>) => {
    await holder.query("begin")
    await holder.query("lock table gatewarden_usage_event in access exclusive mode")
    try {
      await work()
    } finally {
      await holder.query("rollback")
    }
  }

  it("answers 408 in time, also to more queries than there are connections, and leaves none running", async () => {
    await whileLocked(async () => {
      const asked = timed(() => Promise.all(Array.from({ length: 12 }, () => query(impatient.url))))
      await eventually("statements running", async () => ((await running()) > 0 ? true : undefined))
      const [answers, millis] = await asked
      answers.forEach(assertTimedOut)
      assert.isAtLeast(millis, 490)
      assert.isBelow(millis, inTimeMillis)
      await whenRunning(0)
      assertTimedOut(await query(impatient.url))
      await whenRunning(0)
    })
    for (const { status } of await Promise.all(Array.from({ length: 12 }, () => query(impatient.url))))
      assert.strictEqual(status, 200)
  })

  it("stops the statement of a client that hangs up", async () => {
    await whileLocked(async () => {
      const hangUp = new AbortController()
      // One of them waits for the other.
      const asked = [1, 2].map(() => query(patient.url, {}, hangUp.signal).catch((cause: unknown) => cause))
      await whenRunning(1)
      hangUp.abort()
      for (const outcome of await Promise.all(asked)) assert.instanceOf(outcome, Error)
      await whenRunning(0)
    })
    assert.strictEqual((await query(patient.url)).status, 200)
  })

  it("stops the statement of an embedded handler whose request is aborted", async () => {
    const gatewarden = await createGatewarden({ store: postgres({ url: databaseUrl }), keyring, managementKey })
    try {
      await whileLocked(async () => {
        const hangUp = new AbortController()
        const asked = gatewarden
          .fetch(
            new Request("http://gatewarden.test/api/v1/analytics/query", {
              method: "POST",
              headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
              body: JSON.stringify({ metrics: ["request_count"] }),
              signal: hangUp.signal
            })
          )
          .catch(() => undefined)
        await whenRunning(1)
        hangUp.abort()
        await whenRunning(0)
        await asked
      })
    } finally {
      await gatewarden.close()
    }
  })
})

describe("analytics on the embedded store", () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({ environment: { DATABASE_URL: "", GATEWARDEN_ANALYTICS_TIMEOUT_MS: "150" } })
  })
  afterAll(() => server?.kill())

  it("answers 408 in time, and other requests while the statement runs on", { tags: ["deep"] }, async () => {
    const tags = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`tag ${index}`, `value ${index}`]))
    const created_at = new Date(Date.now() - 3_600_000).toISOString()
    const events = Array.from({ length: 1_500 }, (_, index) => ({
      id: `event ${index}`,
      created_at,
      model: "acme/sonnet",
      provider: "acme",
      prompt_tokens: index,
      completion_tokens: index,
      cost_usd: 0.001,
      latency_ms: index,
      generation_ms: index,
      user_id: `user ${index % 50}`,
      classifiers: { topic: tags }
    }))
    const recorded = await callServer(server.url, "POST", "/gateway/usage-events", { body: { events } })
    assert.strictEqual(recorded.status, 200)

    // Every event counts under each of its tags: some 180,000 rows to sort.
    const slow = {
      metrics: ["p50_latency", "p90_latency", "p50_throughput"],
      dimensions: ["user"],
      classifier_dimensions: { classifier_id: "topic" }
    }
    const [answer, millis] = await timed(() => query(server.url, slow))
    assertTimedOut(answer)
    assert.isBelow(millis, inTimeMillis)

    // The store is busy still, which its next answer waits for; what does not need it is answered at once.
    const store = { isBusy: true }
    const next = timed(() => callServer(server.url, "GET", "/guardrails/00000000-0000-4000-8000-000000000000"))
    void next.finally(() => (store.isBusy = false))
    let alive = 0
    let slowest = 0
    while (store.isBusy) {
      const [{ status }, took] = await timed(() => callServer(server.url, "GET", "//livez"))
      assert.strictEqual(status, 200)
      slowest = Math.max(slowest, took)
      alive++
    }
    const [{ status }] = await next
    assert.strictEqual(status, 404)
    assert.isAbove(alive, 1)
    const range = { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" }
    await eventually("a short query within its time", async () =>
      (await query(server.url, { time_range: range })).status === 200 ? true : undefined
    )
  })
})
