/**
 * Rendered rows in the documented table, on ClickHouse's own engine, the package `chdb`. Half a gigabyte is not for everybody: the tests run where
 * GATEWARDEN_TEST_CHDB names its directory. Elsewhere `platforms.test.ts` holds rows to the types of the table.
 */
import { assert, describe, it } from "@effect/vitest"
import type { DeliveredEvent, RenderedRequest } from "../../core/src/delivery/rendering/Renderer.ts"
import { renderers } from "../../core/src/delivery/renderBatch.ts"
import { Effect } from "effect"
import * as fc from "fast-check"
import { createRequire } from "node:module"
import { anyBatch, awkwardText } from "@gatewarden/testkit/delivery/anyDelivered"
import { createTable } from "@gatewarden/testkit/delivery/documentedTable"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"

const renderer = renderers.clickhouse

/** What the tests use of `chdb`. */
interface Session {
  readonly query: (sql: string, format?: string) => string
  readonly cleanup: () => void
}

const directory = process.env["GATEWARDEN_TEST_CHDB"]

const openSession = (): Session => {
  const { Session } = createRequire(import.meta.url)(directory ?? "") as { readonly Session: new () => Session }
  return new Session()
}

const all = { cost: true, identity: true, request_context: true }

/** Runs what the HTTP interface would: the query with its settings, and the rows after it. */
const insert = (session: Session, { url, body }: RenderedRequest): void => {
  const { query = "", ...settings } = Object.fromEntries(new URL(url).searchParams)
  // Of the HTTP interface alone.
  delete settings["wait_end_of_query"]
  const listed = Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'`)
    .join(", ")
  const statement = query.replace(/ FORMAT JSONEachRow$/, ` SETTINGS ${listed} FORMAT JSONEachRow `)
  session.query(statement + new TextDecoder().decode(body))
}

const rowsOf = (session: Session, sql: string): readonly Readonly<Record<string, unknown>>[] =>
  session
    .query(sql, "JSONEachRow")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]))

const configOf = (database: string, table = "GATEWARDEN_TRACES") => ({
  host: "https://clickhouse.example.com:8443",
  database,
  table,
  username: "default",
  password: "secret"
})

const quoted = (name: string) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``

const withTable = async (use: (session: Session) => Promise<unknown>): Promise<void> => {
  const session = openSession()
  try {
    session.query("CREATE DATABASE traces")
    session.query(createTable("ClickHouse").replace("TABLE GATEWARDEN_TRACES", "TABLE traces.GATEWARDEN_TRACES"))
    await use(session)
  } finally {
    session.cleanup()
  }
}

const render = (events: readonly DeliveredEvent[], config = configOf("traces")) =>
  Effect.runPromise(renderer.render(config, events, all, 0))

const event: DeliveredEvent = {
  account_id: "acc",
  api_key_name: "Production",
  input: { messages: [{ role: "user", content: "Hello" }], temperature: 0.5 },
  output: { choices: [{ message: { role: "assistant", content: "Hi" } }] },
  event: {
    ...emptyEvent,
    id: "gen-1",
    created_at: "2026-11-23T10:00:00.123Z",
    recorded_at: "2026-11-23T10:00:01.000Z",
    model: "acme/large",
    variant: "free",
    external_user: "user-1",
    prompt_tokens: 7,
    completion_tokens: 5,
    cost_nanos: 1_000_000_000_000_000_001n,
    latency_ms: 12.5,
    generation_ms: 100,
    trace: { trace_id: "pipeline", team: "data" }
  }
}

describe.skipIf(directory === undefined)("the documented table of ClickHouse", () => {
  it("keeps every value of a row, amounts to the last decimal", () =>
    withTable(async (session) => {
      for (const request of await render([event])) insert(session, request)
      const sql = `SELECT *, toString(TOTAL_COST) AS COST, JSONExtractString(METADATA, 'team') AS TEAM,
        JSONExtractString(JSONExtractRaw(INPUT, 'messages'), 1, 'content') AS FIRST FROM traces.GATEWARDEN_TRACES`
      const [row, ...others] = rowsOf(session, sql)
      assert.deepStrictEqual(others, [])
      assert.include(row, {
        TRACE_ID: "pipeline",
        GENERATION_ID: "gen-1",
        TIMESTAMP: "2026-11-23 10:00:00.123",
        USER_ID: "user-1",
        API_KEY_NAME: "Production",
        MODEL: "acme/large:free",
        STATUS: "ok",
        COST: "1000000000.000000001",
        DURATION_MS: 100,
        TIME_TO_FIRST_TOKEN_MS: 12.5,
        TEAM: "data",
        FIRST: "Hello"
      })
    }))

  it("has a row once, however often a batch comes", () =>
    withTable(async (session) => {
      const batch = [event, { ...event, event: { ...event.event, id: "gen-2" } }]
      for (const request of [...(await render(batch)), ...(await render(batch))]) insert(session, request)
      const count = (source: string) =>
        rowsOf(session, `SELECT toUInt32(count()) AS n FROM traces.GATEWARDEN_TRACES ${source}`)
      assert.deepStrictEqual(count(""), [{ n: 2 }])
      // Cut anew, the batch has another token, and the engine replaces what is there.
      for (const request of await render([event])) insert(session, request)
      assert.deepStrictEqual(count("FINAL"), [{ n: 2 }])
    }))

  it("takes every event", () =>
    withTable(async (session) => {
      let sent = 0
      await fc.assert(
        fc.asyncProperty(anyBatch, async (events) => {
          for (const request of await render(events)) insert(session, request)
          sent += events.length
          const [row] = rowsOf(session, "SELECT toUInt32(count()) AS n FROM traces.GATEWARDEN_TRACES")
          assert.deepStrictEqual(row, { n: sent })
        }),
        { numRuns: 25, endOnFailure: true }
      )
    }))

  it("is found under every name, and under no other", () =>
    withTable(async (session) => {
      await fc.assert(
        fc.asyncProperty(awkwardText, awkwardText, async (database, table) => {
          // A file system and UTF-8 have no such names.
          fc.pre(!/[\0\ud800-\udfff]/.test(database + table) && Buffer.byteLength(database + table) < 60)
          session.query(`CREATE DATABASE ${quoted(database)} ENGINE = Memory`)
          session.query(`CREATE TABLE ${quoted(database)}.${quoted(table)} (MODEL String) ENGINE = Memory`)
          for (const request of await render([event], configOf(database, table))) insert(session, request)
          assert.deepStrictEqual(rowsOf(session, `SELECT MODEL FROM ${quoted(database)}.${quoted(table)}`), [
            { MODEL: "acme/large:free" }
          ])
          session.query(`DROP DATABASE ${quoted(database)}`)
        }),
        { numRuns: 40 }
      )
    }))
})
