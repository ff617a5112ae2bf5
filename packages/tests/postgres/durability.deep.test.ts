/**
 * What was acknowledged outlives the process that did so, and a client that was left without an answer may ask again.
 *
 * Rule: requests#idempotency-keys.
 */
import { assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { callServer, type ServerAnswer } from "@gatewarden/testkit/server/callServer"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const { start } = serverFleet()

const writers = 8
/** How many creates each round acknowledges before the process is killed; the others are on their way. */
const rounds = [15, 40, 65]

/** Operations whose second run would make a second row, with where that row would be. */
const kinds = [
  { path: "/guardrails", body: (name: string) => ({ name }), table: "gatewarden_guardrail" },
  {
    path: "/byok",
    body: (name: string) => ({ name, provider: "openai", key: `sk-${name}` }),
    table: "gatewarden_byok_credential"
  },
  { path: "/keys", body: (name: string) => ({ name }), table: "gatewarden_api_key" }
] as const

interface Attempt {
  readonly name: string
  readonly kind: (typeof kinds)[number]
  /** The whole answer, once there was one. */
  acknowledged?: string
}

const send = (url: string, { name, kind }: Attempt): Promise<ServerAnswer> =>
  callServer(url, "POST", kind.path, { body: kind.body(name), headers: { "idempotency-key": name } })

describe("a server that is killed while it creates", () => {
  it("has kept what it acknowledged, and creates once whatever is repeated", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const environment = { DATABASE_URL: url, GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}` }
    const attempts: Attempt[] = []

    for (const [round, enough] of rounds.entries()) {
      const server = await start({ environment })
      let acknowledged = 0
      const write = async (writer: number) => {
        for (let index = 0; ; index++) {
          const kind = kinds[(writer + index) % kinds.length] ?? kinds[0]
          const attempt: Attempt = { name: `${round}-${writer}-${index}`, kind }
          attempts.push(attempt)
          const answer = await send(server.url, attempt).catch(() => undefined)
          if (answer === undefined) return
          assert.strictEqual(answer.status, 200)
          attempt.acknowledged = JSON.stringify(answer.json)
          if (++acknowledged === enough) void server.kill()
        }
      }
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    }
    const unanswered = attempts.filter(({ acknowledged }) => acknowledged === undefined)
    assert.isAtLeast(attempts.length - unanswered.length, 120)
    assert.isAtLeast(unanswered.length, rounds.length)

    /** How many rows of each name there are. */
    const made = async (): Promise<ReadonlyMap<string, number>> => {
      const tables = kinds.map(({ table }) => `select name from ${table}`).join(" union all ")
      const rows = await execute(url, `select name, count(*)::int as count from (${tables}) made group by name`)
      return new Map(rows.map(({ name, count }) => [String(name), Number(count)]))
    }
    const kept = await made()
    for (const { name, acknowledged } of attempts)
      if (acknowledged !== undefined) assert.strictEqual(kept.get(name), 1, name)

    const server = await start({ environment })
    await Promise.all(
      attempts.map(async (attempt) => {
        const answer = await send(server.url, attempt)
        assert.strictEqual(answer.status, 200)
        if (attempt.acknowledged === undefined) return
        assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(JSON.stringify(answer.json), attempt.acknowledged)
      })
    )
    const repeated = await made()
    assert.deepStrictEqual(
      attempts.filter(({ name }) => repeated.get(name) !== 1).map(({ name }) => `${name}: ${repeated.get(name)}`),
      []
    )
    assert.strictEqual(await server.stop(), 0)
  })
})
