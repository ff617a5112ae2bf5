import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { PgConnection, PgProtocol } from "@effect/sql-pg"
import { Deferred, Effect, Result } from "effect"
import { once } from "node:events"
import type { Duplex } from "node:stream"
import { inject } from "vitest"
import { type PgliteBackend, type PgliteListener, pgliteDuplex } from "../../postgres/src/connection/pgliteDuplex.ts"
import { type Pglite, startPglite } from "../../postgres/src/connection/startPglite.ts"

const startup = PgProtocol.encodeStartupMessage({ user: "postgres", database: "postgres" })

const simpleQuery = (sql: string): Uint8Array => {
  const body = Buffer.from(`${sql}\0`)
  const header = Buffer.from([0x51, 0, 0, 0, 0])
  header.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([header, body])
}

const parseOnly = (sql: string): Uint8Array =>
  Result.getOrThrow(PgProtocol.encodeParse({ name: "", query: sql, parameterTypes: [] }))

/** A client that reads every message up to and with the next ReadyForQuery, and prints what matters of them. */
const client = (stream: Duplex) => {
  const parser = PgProtocol.makeParser({})
  const messages: PgProtocol.BackendMessage[] = []
  let look = (): void => {}
  stream.on("data", (chunk: Uint8Array) => {
    messages.push(...parser.push(chunk))
    look()
  })
  const print = (message: PgProtocol.BackendMessage): readonly string[] => {
    switch (message._tag) {
      case "DataRow":
        return [message.values.map((value) => (value === null ? "null" : Buffer.from(value).toString())).join(",")]
      case "ErrorResponse":
        return [`error ${message.fields.code}`]
      case "ReadyForQuery":
        return [`ready ${message.status}`]
      default:
        return []
    }
  }
  const ready = async (): Promise<readonly string[]> => {
    for (;;) {
      const end = messages.findIndex(({ _tag }) => _tag === "ReadyForQuery")
      if (end >= 0) return messages.splice(0, end + 1).flatMap(print)
      await new Promise<void>((resolve) => (look = resolve))
    }
  }
  const ask = (sql: string) => {
    stream.write(simpleQuery(sql))
    return ready()
  }
  return { stream, ready, ask }
}

describe("pgliteDuplex under sql-pg", () => {
  it.live("lets go of a statement that never ends when it is interrupted", () =>
    Effect.gen(function* () {
      const sent = yield* Deferred.make<void>()
      let owner: PgliteListener | undefined
      let freed = false
      const backend: PgliteBackend = {
        claim: (listener) => {
          owner = listener
          listener.onTurn()
        },
        release: (listener) => {
          if (owner === listener) owner = undefined
        },
        cancel: () => {
          owner?.onCancel()
          freed = owner === undefined
        },
        // AuthenticationOk and ReadyForQuery to a startup packet, and nothing to a statement.
        send: (op) => {
          if (op === "execute") Deferred.doneUnsafe(sent, Effect.void)
          else owner?.onAnswer(Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49), true)
        }
      }
      const connection = yield* PgConnection.make({ stream: () => pgliteDuplex(backend), username: "postgres" })
      yield* Effect.raceFirst(connection.query("select 1"), Deferred.await(sent))
      assert.isTrue(freed)
      assert.strictEqual((yield* Effect.flip(connection.query("select 1"))).reason._tag, "ConnectionError")
    })
  )
})

describe("pgliteDuplex", () => {
  let pglite: Pglite
  beforeAll(async () => {
    pglite = await startPglite({ dataDir: undefined, snapshot: inject("pgliteSnapshot") })
  })
  afterAll(() => pglite.close())

  const connect = async () => {
    const connected = client(pglite.connect())
    connected.stream.write(startup)
    assert.deepStrictEqual(await connected.ready(), ["ready I"])
    return connected
  }
  const hangUp = async ({ stream }: { readonly stream: Duplex }) => {
    stream.end(PgProtocol.encodeTerminate())
    await once(stream, "close")
  }

  it("takes messages cut at every byte, after a startup packet cut at every byte", async () => {
    const slow = client(pglite.connect())
    for (const byte of startup) slow.stream.write(Uint8Array.of(byte))
    assert.deepStrictEqual(await slow.ready(), ["ready I"])
    for (const byte of simpleQuery("select 'a b c'")) slow.stream.write(Uint8Array.of(byte))
    assert.deepStrictEqual(await slow.ready(), ["a b c", "ready I"])
    await hangUp(slow)
  })

  it("takes a startup packet and several messages in one chunk", async () => {
    const eager = client(pglite.connect())
    eager.stream.write(
      Buffer.concat([startup, simpleQuery("select 1"), simpleQuery("select 1/0"), simpleQuery("select 2")])
    )
    assert.deepStrictEqual(await eager.ready(), ["ready I"])
    assert.deepStrictEqual(await eager.ready(), ["1", "ready I"])
    assert.deepStrictEqual(await eager.ready(), ["error 22012", "ready I"])
    assert.deepStrictEqual(await eager.ready(), ["2", "ready I"])
    await hangUp(eager)
  })

  it("carries answers of every size whole", async () => {
    const reader = await connect()
    for (const size of [0, 16_000, 16_384, 65_000, 65_536, 200_000, 3_000_000]) {
      const [row] = await reader.ask(`select repeat('x', ${size})`)
      assert.strictEqual(row?.length, size)
    }
    await hangUp(reader)
  })

  it("refuses encryption and goes on in the clear", async () => {
    const stream = pglite.connect()
    stream.write(PgProtocol.encodeSslRequest())
    const [chunk] = (await once(stream, "data")) as [Buffer]
    assert.strictEqual(chunk.toString(), "N")
    const plain = client(stream)
    stream.write(startup)
    assert.deepStrictEqual(await plain.ready(), ["ready I"])
    await hangUp(plain)
  })

  it("keeps a CancelRequest from PGlite, and leaves an idle stream alone", async () => {
    const idle = await connect()
    const cancel = pglite.connect()
    cancel.write(PgProtocol.encodeCancelRequest({ pid: 1, secret: 2 }))
    await once(cancel, "close")
    assert.deepStrictEqual(await idle.ask("select 1"), ["1", "ready I"])
    await hangUp(idle)
  })

  it("ends the stream that waits for a statement at a CancelRequest", async () => {
    const busy = await connect()
    const ended = once(busy.stream, "error")
    busy.stream.write(simpleQuery("select count(*) from generate_series(1, 200000)"))
    const cancel = pglite.connect()
    cancel.write(PgProtocol.encodeCancelRequest({ pid: 1, secret: 2 }))
    assert.match(String((await ended)[0]), /was cancelled/)
    const next = await connect()
    assert.deepStrictEqual(await next.ask("select 1"), ["1", "ready I"])
    await hangUp(next)
  })

  it("makes a second stream wait for the first, and undoes what that left behind", async () => {
    const first = await connect()
    await first.ask("create table left_behind (a int)")
    await first.ask("set work_mem = '7MB'")
    await first.ask("prepare named as select 1")
    await first.ask("begin")
    await first.ask("insert into left_behind values (1)")
    const second = client(pglite.connect())
    second.stream.write(startup)
    const ready = second.ready()
    assert.deepStrictEqual(await first.ask("insert into left_behind values (2)"), ["ready T"])
    // In the middle of an extended query, with no Sync to come.
    first.stream.write(parseOnly("selec"))
    first.stream.destroy()
    assert.deepStrictEqual(await ready, ["ready I"])
    assert.deepStrictEqual(await second.ask("select count(*) from left_behind"), ["0", "ready I"])
    assert.deepStrictEqual(await second.ask("select count(*) from pg_prepared_statements"), ["0", "ready I"])
    assert.notDeepEqual(await second.ask("show work_mem"), ["7MB", "ready I"])
    await hangUp(second)
  })

  it("ends a stream that does not speak the protocol, and no other", async () => {
    const stream = pglite.connect()
    stream.write("GET / HTTP/1.1\r\n\r\n")
    const [cause] = await once(stream, "error")
    assert.instanceOf(cause, RangeError)
    const wrong = await connect()
    wrong.stream.write(Uint8Array.of(0x51, 0, 0, 0, 0))
    await once(wrong.stream, "error")
    await hangUp(await connect())
  })

  it("breaks every stream when the backend exits, and says why", async () => {
    const doomed = await startPglite({ dataDir: undefined, snapshot: inject("pgliteSnapshot") })
    const [holder, waiter] = [client(doomed.connect()), client(doomed.connect())]
    holder.stream.write(startup)
    waiter.stream.write(startup)
    await holder.ready()
    await holder.ask("create table copied (a int)")
    // PGlite takes the missing COPY data for the end of its client, and exits.
    holder.stream.write(simpleQuery("copy copied from stdin"))
    const causes = await Promise.all([once(holder.stream, "error"), once(waiter.stream, "error")])
    for (const [cause] of causes) assert.match(String(cause), /PGlite failed/)
    const late = doomed.connect()
    late.write(startup)
    assert.match(String((await once(late, "error"))[0]), /PGlite failed/)
    await doomed.close()
  })

  it("ends the streams that are open when it is closed, and may be closed twice", async () => {
    const closing = await startPglite({ dataDir: undefined, snapshot: inject("pgliteSnapshot") })
    const open = client(closing.connect())
    open.stream.write(startup)
    await open.ready()
    const ended = once(open.stream, "error")
    await Promise.all([closing.close(), closing.close()])
    assert.match(String((await ended)[0]), /is closed/)
  })
})
