/** ClickHouse's own client against the intake that ClickHouse's renderer is held to: it sends the same rows, and reads the same of an exception. */
import { ClickHouseError, type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { type ClickhouseRow, startClickhouse } from "@gatewarden/testkit/delivery/platforms/clickhouse"
import { clickhouse } from "../../core/src/delivery/types/clickhouse.ts"
import type { RenderedRequest } from "../../core/src/delivery/rendering/Renderer.ts"

const everything = { cost: true, identity: true, request_context: true }

const events = [
  deliveredEvent("gen-1"),
  deliveredEvent("gen-2", { trace: { note: 'a "quote", a \\ and a \n' }, status: "error" })
]

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body)

const rowsOf = ({ body }: RenderedRequest): readonly ClickhouseRow[] =>
  textOf(body)
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ClickhouseRow]))

const clientOf = ({ host, username, password }: Parameters<typeof clickhouse.render>[0]) =>
  Effect.acquireRelease(
    Effect.sync(() => createClient({ url: host, username, password, log: { level: ClickHouseLogLevel.OFF } })),
    (client) => Effect.promise(() => client.close())
  )

const insert = (client: ClickHouseClient, table: string, values: readonly ClickhouseRow[]) =>
  client.insert({
    table,
    values,
    format: "JSONEachRow",
    clickhouse_settings: { async_insert: 0, input_format_skip_unknown_fields: 1, wait_end_of_query: 1 }
  })

describe("@clickhouse/client", () => {
  it.effect("sends rows to the same address, in the same bytes", () =>
    Effect.gen(function* () {
      const intake = yield* Effect.suspend(startClickhouse)
      const requests = yield* clickhouse.render(intake.config, events, everything, 0)
      assert.strictEqual(requests.length, 1)
      const [ours] = requests
      if (ours === undefined) return assert.fail("no request")
      // It has credentials in a header of its own, and an id of the query.
      intake.answerWith({ status: 200 })
      const client = yield* clientOf(intake.config)
      const query = new URL(ours.url).searchParams.get("query") ?? ""
      const table = /^INSERT INTO (.*) FORMAT JSONEachRow$/s.exec(query)?.[1] ?? ""
      yield* Effect.promise(() => insert(client, table, rowsOf(ours)))
      const [theirs] = intake.requests
      const [sent, mine] = [new URL(theirs?.path ?? "", intake.config.host), new URL(ours.url)]
      assert.strictEqual(theirs?.method, "POST")
      assert.strictEqual(sent.origin + sent.pathname, mine.origin + mine.pathname)
      for (const name of ["query", "async_insert", "input_format_skip_unknown_fields", "wait_end_of_query"])
        assert.strictEqual(sent.searchParams.get(name), mine.searchParams.get(name), name)
      assert.strictEqual(textOf(theirs?.body ?? new Uint8Array()), textOf(ours.body))
    })
  )

  it.effect("reads the code and the name that a verdict has", () =>
    Effect.gen(function* () {
      const intake = yield* Effect.suspend(startClickhouse)
      const client = yield* clientOf(intake.config)
      for (const [code, type, kind] of [
        [27, "CANNOT_PARSE_INPUT_ASSERTION_FAILED", "refused"],
        [321, "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE", "refused"],
        [252, "TOO_MANY_PARTS", "retry"]
      ] as const) {
        const body = `Code: ${code}. DB::Exception: Something is wrong. (${type}) (version 26.3.1.1 (official build))\n`
        intake.answerWith({ status: 400, body })
        const error = yield* Effect.promise(() =>
          insert(client, "t", [{ A: 1 }]).then(
            () => assert.fail("no error"),
            (reason: unknown) => reason
          )
        )
        assert.instanceOf(error, ClickHouseError)
        assert.deepInclude(error, { code: String(code), type })
        assert.deepStrictEqual(clickhouse.judge?.(400, body, { events: ["gen-1"] } as never, new Uint8Array()), {
          kind,
          message: `ClickHouse refused the rows with code ${code} (${type}).`
        })
      }
    })
  )
})
