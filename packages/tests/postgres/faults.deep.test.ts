/**
 * A database that does not do as it should while requests are on their way: sessions that are ended, locks that nobody gives
 * back, analytics that take every connection they can get.
 *
 * Rule: errors#store-failures. `GATEWARDEN_FAULT_ROUNDS` says how often every session is ended.
 */
import { assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { write, type Write, writeAtOnce } from "@gatewarden/testkit/server/acknowledgedWrites"
import { assertKept } from "@gatewarden/testkit/server/assertKept"
import { callServer, type ServerAnswer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { rounds } from "@gatewarden/testkit/server/rounds"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"

const { start } = serverFleet()

const keyring = `k1:${Buffer.alloc(32, 7).toString("base64")}`

const serverOn = async (environment: Readonly<Record<string, string>> = {}) => {
  const database = await createMigratedDatabase(inject("postgres"))
  const { url } = await start({ environment: { DATABASE_URL: database, GATEWARDEN_KEYRING: keyring, ...environment } })
  const watcher = await openConnection(database)
  return { database, url, watcher }
}

const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> => {
  const start = performance.now()
  return [await work(), performance.now() - start]
}

const assertUnavailable = ({ status, json }: ServerAnswer) => {
  assert.strictEqual(status, 500)
  assert.strictEqual(json.error.metadata.reason, "store_unavailable")
}

describe("sessions that are ended under load", () => {
  const times = rounds("GATEWARDEN_FAULT_ROUNDS", 10)

  it(`${times} times: reads hardly notice, writes say what became of them, and all is well at once after`, async () => {
    const { database, url, watcher } = await serverOn()
    try {
      const known = await write(url, "guardrail", "known", 0)
      const load = { isOver: false, reads: 0, failed: 0 }
      const reader = async () => {
        while (!load.isOver) {
          const answer = await callServer(url, "GET", `/guardrails/${known.data.id}`)
          load.reads++
          if (answer.status === 200) assert.strictEqual(answer.json.data.name, "known")
          else {
            assertUnavailable(answer)
            load.failed++
          }
        }
      }
      const working = Promise.all([writeAtOnce(url, "w", 6, () => !load.isOver), ...Array.from({ length: 6 }, reader)])
      let ended = 0
      for (let round = 0; round < times; round++) {
        const reads = load.reads + 30
        await eventually("reads", async () => (load.reads >= reads ? true : undefined))
        const rows = await watcher.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
        ended += rows.length
      }
      load.isOver = true
      const [writes] = await working
      const after = await timed(() => writeAtOnce(url, "after", 1, ({ outcome }) => outcome !== "acknowledged"))
      const last: Write = after[0].at(-1) ?? known
      const kept = await assertKept(database, [known, ...writes, ...after[0]])
      const count = (outcome: Write["outcome"]) => writes.filter((one) => one.outcome === outcome).length
      console.info(
        `${ended} sessions ended; ${load.failed} of ${load.reads} reads failed; writes: ${count("acknowledged")} acknowledged, ` +
          `${count("refused")} refused, ${count("unknown")} unknown (${kept} kept); well after ${Math.round(after[1])} ms`
      )
      assert.isAtLeast(ended, times)
      assert.isAbove(count("acknowledged"), times)
      assert.isAtMost(load.failed, load.reads / 20)
      assert.strictEqual(last.outcome, "acknowledged")
      assert.isBelow(after[1], 10_000)
    } finally {
      await watcher.close()
    }
  })
})

describe("what hangs in the database", () => {
  it("is given up in time, refuses with nothing changed, and leaves others alone", async () => {
    const { database, url, watcher } = await serverOn({ GATEWARDEN_STATEMENT_TIMEOUT_MS: "1000" })
    const holder = await openConnection(database)
    try {
      const { data } = await write(url, "guardrail", "locked", 0)
      const change = () => callServer(url, "PATCH", `/guardrails/${data.id}`, { body: { description: "changed" } })
      const waiting = () =>
        watcher.query(
          "select pid, backend_type, left(query,300) q from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name like 'gatewarden%'"
        )
      await holder.query("begin")
      await holder.query(`select from gatewarden_guardrail where id = '${data.id}' for update`)
      const asked = timed(() => Promise.all(Array.from({ length: 6 }, change)))
      await eventually("a wait for the row", async () => ((await waiting()).length > 0 ? true : undefined))
      // Those of other rows are answered at the latest when the wait before them is given up.
      const others = await timed(() =>
        Promise.all(Array.from({ length: 20 }, (_, n) => write(url, "byok", `b${n}`, n)))
      )
      for (const { outcome } of others[0]) assert.strictEqual(outcome, "acknowledged")
      const [answers, millis] = await asked
      answers.forEach(assertUnavailable)
      assert.isAtLeast(millis, 900)
      assert.isBelow(millis, 15_000)
      await holder.query("rollback")
      assert.strictEqual((await callServer(url, "GET", `/guardrails/${data.id}`)).json.data.description, null)

      await holder.query("begin")
      await holder.query("lock table gatewarden_guardrail in access exclusive mode")
      assertUnavailable(await callServer(url, "GET", `/guardrails/${data.id}`))
      assertUnavailable(await change())
      await holder.query("rollback")
      assert.deepStrictEqual(await waiting(), [])
      assert.strictEqual((await change()).status, 200)
    } finally {
      await Promise.all([holder.close(), watcher.close()])
    }
  })

  it("takes one connection of analytics, however much an account asks for", async () => {
    const { database, url, watcher } = await serverOn({ GATEWARDEN_ANALYTICS_TIMEOUT_MS: "5000" })
    const holder = await openConnection(database)
    try {
      await holder.query("begin")
      await holder.query("lock table gatewarden_usage_event in access exclusive mode")
      // As many as may wait of an account.
      const count = 100
      const state = { isOver: false }
      const analytics = Array.from({ length: count }, () =>
        callServer(url, "POST", "/analytics/query", { body: { metrics: ["request_count"] } })
      )
      // Whatever is answered from here on could not have waited for one of them.
      void Promise.race(analytics).finally(() => (state.isOver = true))
      const waiting = async () =>
        (
          await watcher.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'with cell %'"
          )
        ).length
      await eventually("a query that waits", async () => ((await waiting()) > 0 ? true : undefined))
      let answered = 0
      for (let index = 0; ; index++) {
        const { outcome } = await write(url, index % 2 ? "preset" : "guardrail", `${index}`, 0)
        if (state.isOver) break
        assert.strictEqual(outcome, "acknowledged")
        assert.isAtMost(await waiting(), 1)
        answered++
      }
      for (const { status } of await Promise.all(analytics)) assert.strictEqual(status, 408)
      console.info(`${answered} writes while ${count} analytics waited`)
      assert.isAbove(answered, 2)
      await holder.query("rollback")
      const { status } = await callServer(url, "POST", "/analytics/query", { body: { metrics: ["request_count"] } })
      assert.strictEqual(status, 200)
    } finally {
      await Promise.all([holder.close(), watcher.close()])
    }
  })
})
