/**
 * Servers and databases that are killed while they write, again and again: what was acknowledged is there, nothing is there by
 * half.
 *
 * Rule: requests#idempotency-keys, errors#store-failures. `GATEWARDEN_ENDURANCE_ROUNDS` says how many are killed.
 */
import { assert, describe, it } from "@effect/vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventsPerBatch, kinds, type Write, write, writeAtOnce } from "@gatewarden/testkit/server/acknowledgedWrites"
import { assertKept } from "@gatewarden/testkit/server/assertKept"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { rounds } from "@gatewarden/testkit/server/rounds"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"

const { start } = serverFleet()

const kills = rounds("GATEWARDEN_ENDURANCE_ROUNDS", 4)
const writers = 8
const secondsPerRound = 20

/** Ends every writer with the first write that is not acknowledged, and runs `strike` after so many that are. */
const until = (enough: number, strike: () => void) => {
  let acknowledged = 0
  return ({ outcome }: Write): boolean => {
    if (outcome !== "acknowledged") return false
    if (++acknowledged === enough) strike()
    return true
  }
}

const tally = (writes: readonly Write[]): string =>
  ["acknowledged", "refused", "unknown", "unanswered"]
    .map((outcome) => `${writes.filter((write) => write.outcome === outcome).length} ${outcome}`)
    .join(", ")

describe("a server and its database that are killed in turn while they write", () => {
  it(
    `keep what was acknowledged, over ${kills} rounds`,
    async () => {
      const postgres = await startPostgresServer({ embedded: true })
      try {
        const database = await postgres.createDatabase()
        const environment = {
          DATABASE_URL: database,
          GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`
        }
        const writes: Write[] = []
        const recoveries: number[] = []
        let server = await start({ environment })
        for (let round = 0; round < kills; round++) {
          const isServer = round % 2 === 0
          let killed: Promise<void> = Promise.resolve()
          const strike = () => void (killed = isServer ? server.kill() : postgres.kill())
          writes.push(...(await writeAtOnce(server.url, `${round}`, writers, until(20 + ((round * 7) % 40), strike))))
          await killed
          if (isServer) server = await start({ environment })
          else {
            await postgres.restart()
            const back = performance.now()
            await eventually("ready again", async () =>
              (await callServer(server.url, "GET", "//readyz")).status === 200 ? true : undefined
            )
            const first = await write(server.url, "guardrail", `${round}-first`, 0)
            recoveries.push(Math.round(performance.now() - back))
            assert.strictEqual(first.outcome, "acknowledged")
            writes.push(first)
          }
        }
        const surprising = await assertKept(database, writes)
        console.info(
          `${kills} killed; ${tally(writes)}; ${surprising} of the last two were kept; ` +
            `serving ${recoveries.join(", ")} ms after the database was back`
        )
        for (const kind of kinds)
          assert.isAbove(writes.filter((one) => one.kind === kind && one.outcome === "acknowledged").length, kills)
        // A second is the promise; the rest is for machines that do other things too.
        assert.isBelow(Math.max(...recoveries), 10_000)
        assert.strictEqual(await server.stop(), 0)
      } finally {
        await postgres.stop()
      }
    },
    60_000 + kills * secondsPerRound * 1_000
  )
})

describe("a server with the embedded store that is killed while it writes", () => {
  const kills = rounds("GATEWARDEN_ENDURANCE_EMBEDDED_ROUNDS", 1)

  it(
    `starts again on the same directory with what was acknowledged, ${kills} times`,
    async () => {
      const dataDirectory = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
      const options = { dataDirectory, environment: { DATABASE_URL: "" } }
      try {
        const writes: Write[] = []
        let server = await start(options)
        for (let round = 0; round < kills; round++) {
          let killed: Promise<void> = Promise.resolve()
          const strike = () => void (killed = server.kill())
          writes.push(...(await writeAtOnce(server.url, `${round}`, writers, until(30, strike))))
          await killed
          // The lock file of the dead one is there still.
          server = await start(options)
        }
        const acknowledged = writes.filter(({ outcome }) => outcome === "acknowledged")
        const of = (kind: Write["kind"]) => acknowledged.filter((one) => one.kind === kind)
        const get = async (path: string) => {
          const answer = await callServer(server.url, "GET", path)
          assert.strictEqual(answer.status, 200, path)
          return answer.json
        }
        for (const { data, name } of of("guardrail"))
          assert.strictEqual((await get(`/guardrails/${data.id}`)).data.name, name)
        const listed: string[] = []
        for (let more = true; more;) {
          const { data } = await get(`/byok?limit=100&offset=${listed.length}`)
          listed.push(...data.map(({ name }: { readonly name: string }) => name))
          more = data.length === 100
        }
        assert.includeMembers(
          listed,
          of("byok").map(({ name }) => name)
        )
        assert.strictEqual(new Set(listed).size, listed.length)
        for (const { data } of of("preset")) {
          const { version } = (await get(`/presets/${data.slug}`)).data.designated_version
          assert.isAtLeast(version, data.designated_version.version)
          const next = await write(server.url, "preset", "next", Number(data.slug.split("-")[1]))
          assert.strictEqual(next.data.designated_version.version, version + 1)
        }
        const counted = await callServer(server.url, "POST", "/analytics/query", {
          body: { metrics: ["request_count"] }
        })
        const events = Number(counted.json.data.data[0].request_count)
        assert.isAtLeast(events, of("usage").length * eventsPerBatch)
        assert.isAtMost(events, writes.filter(({ kind }) => kind === "usage").length * eventsPerBatch)
        assert.strictEqual(events % eventsPerBatch, 0)
        console.info(`${kills} killed; ${tally(writes)}`)
        assert.strictEqual(await server.stop(), 0)
      } finally {
        await rm(dataDirectory, { recursive: true, force: true })
      }
    },
    60_000 + kills * secondsPerRound * 1_000
  )
})
