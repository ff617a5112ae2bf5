/** The reference gateway. What whole answers take in memory: it is counted from their first byte until they are read, and they are paid for. */
import { assert, describe, it } from "@effect/vitest"
import { defaultBodyLimits } from "@gatewarden/core/effect"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import { beforeEach } from "vitest"
import { answerRooms } from "../../../examples/gateway/src/AnswerRoom.ts"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { completes, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { errorOf } from "./errorOf.ts"
import { gatewayUnderTest, hello, usage } from "./gatewayUnderTest.ts"

const long = 100_000

/** Milliseconds that a client may take for what it is answered. */
let graceMillis: number
/** Milliseconds that an answer waits for room. */
let waitMillis: number
/** Bytes. No answer may be longer than a sixteenth. */
let heap: number
beforeEach(() => {
  ;({ graceMillis } = defaultBodyLimits)
  waitMillis = 0
  heap = 1_000_000_000
})

/** One long answer of a key at a time, and two of the API keys of an account, which have three quarters of an eighth. */
const limits = {
  ...defaultBodyLimits,
  minBytesPerSecond: 1_000_000_000,
  get graceMillis() {
    return graceMillis
  },
  answers: { process: 91 * long, key: 4 * long }
}
const rooms = {
  room: (...reader: Parameters<ReturnType<typeof answerRooms>["room"]>) => made().room(...reader)
}
let made: () => ReturnType<typeof answerRooms>
beforeEach(() => {
  let once: ReturnType<typeof answerRooms> | undefined
  made = () => (once ??= answerRooms(limits, { heap, waitMillis }))
})

const { address, ask, budgetOf, manage, newKey, recorded, upstream } = gatewayUnderTest(() => ({ limits, rooms }))

/** Of the prompt a token a byte, and as many as were asked for. */
const heldCost = (JSON.stringify(hello).length + 100) / 1_000

/** An answer of which all but the end has come. */
const unfinished = () => {
  const begun = deferred()
  const go = deferred()
  const script = async (_: unknown, response: ServerResponse) => {
    const text = JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content: "x".repeat(4 * long) }, finish_reason: "stop" }],
      usage
    })
    response.writeHead(200, { "content-length": text.length })
    response.write(text.slice(0, -1), () => begun.resolve())
    await go.promise
    response.end(text.slice(-1))
  }
  return { begun: begun.promise, go: go.resolve, script }
}

describe("long answers", () => {
  it("count as they arrive: a further one of the key is 503, is paid for and is asked of nobody else", async () => {
    const key = await newKey({ limit: 1_000 })
    const first = unfinished()
    upstream.plays("openai", first.script)
    upstream.plays("anthropic", completes("hi", usage))
    const answered = ask(key.key)
    await first.begun
    upstream.plays("openai", completes("x".repeat(long), usage))
    const refused = await eventually("the first is counted", async () => {
      const answer = await ask(key.key)
      return answer.status === 503 ? answer : void (await answer.text())
    })
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/)
    assert.strictEqual((await errorOf(refused)).metadata?.["reason"], "answers_in_flight")
    const { spent } = await budgetOf(key)
    // A short answer needs no room.
    upstream.plays("openai", completes("short", usage))
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.strictEqual((await budgetOf(key)).spent, String(Number((Number(spent) + 0.01).toFixed(9))))
    first.go()
    assert.strictEqual((await answered).status, 200)
    assert.strictEqual(
      upstream.calls().every(({ provider }) => provider === "openai"),
      true
    )
  })

  it("count what was redacted and is put back, however short they came", async () => {
    const { data } = await manage("GET", "/workspaces/default")
    const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
      content_filters: [{ pattern: "x{2,}", action: "redact", label: "[X]" }]
    })
    const key = await newKey({ limit: 1_000 })
    const first = unfinished()
    upstream.plays("openai", first.script)
    const answered = ask(key.key)
    await first.begun
    upstream.plays("openai", completes("[X_1]".repeat(4), usage))
    const messages = [{ role: "user", content: "x".repeat(long / 2) }]
    const refused = await eventually("the first is counted", async () => {
      const answer = await ask(key.key, { messages })
      return answer.status === 503 ? answer : void (await answer.text())
    })
    assert.strictEqual((await errorOf(refused)).metadata?.["reason"], "answers_in_flight")
    first.go()
    assert.strictEqual((await answered).status, 200)
  })

  it("that find no room are charged as they were held", async () => {
    const key = await newKey({ limit: 1_000 })
    const first = unfinished()
    upstream.plays("openai", first.script)
    const answered = ask((await newKey({ limit: 1_000 })).key)
    await first.begun
    // The other key of the account has taken more than the share of the account.
    const second = unfinished()
    upstream.plays("openai", second.script)
    const also = ask((await newKey({ limit: 1_000 })).key)
    await second.begun
    upstream.plays("openai", completes("x".repeat(long), usage))
    const refused = await eventually("both are counted", async () => {
      const one = await newKey({ limit: 1_000 })
      const answer = await ask(one.key)
      return answer.status === 503 ? { answer, one } : void (await answer.text())
    })
    assert.deepEqual(await budgetOf(refused.one), { spent: String(heldCost), held: "0" })
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    first.go()
    second.go()
    assert.deepEqual(
      (await Promise.all([answered, also])).map(({ status }) => status),
      [200, 200]
    )
  })

  it("wait for the room of others before they are given up", async () => {
    waitMillis = 60_000
    const key = await newKey({ limit: 1_000 })
    const first = unfinished()
    upstream.plays("openai", first.script)
    const answered = ask(key.key)
    await first.begun
    const second = unfinished()
    upstream.plays("openai", second.script)
    const also = ask(key.key)
    await second.begun
    first.go()
    second.go()
    for (const answer of await Promise.all([answered, also])) {
      assert.strictEqual(answer.status, 200)
      await answer.text()
    }
    assert.deepEqual(await budgetOf(key), { spent: "0.02", held: "0" })
  })

  it("that come in pieces do not wait for each other: the first goes on, and the others after it", async () => {
    waitMillis = 60_000
    const key = await newKey({ limit: 1_000 })
    const text = JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content: "x".repeat(3 * long) }, finish_reason: "stop" }],
      usage
    })
    const responses: ServerResponse[] = []
    const both = deferred()
    upstream.plays("openai", async (_, response) => {
      responses.push(response)
      response.write(text.slice(0, 2 * long))
      if (responses.length === 2) both.resolve()
      await both.promise
      response.end(text.slice(2 * long))
    })
    const answers = await Promise.all([ask(key.key), ask(key.key)])
    for (const answer of answers) assert.strictEqual(answer.status, 200, await answer.text())
    assert.deepEqual(await budgetOf(key), { spent: "0.02", held: "0" })
  })

  for (const [what, size, content] of [
    ["longer than a sixteenth of the heap", 1_600_000, "x".repeat(2 * long)],
    ["that would take more than a third of it", 16_000_000, Array.from({ length: 20_000 }, () => ({}))]
  ] as const)
    it(`${what} are not read, and are charged as they were held`, async () => {
      heap = size
      const key = await newKey({ limit: 1_000 })
      upstream.plays("openai", (call, response) => completes(content as string, usage)(call, response))
      const answer = await ask(key.key, { provider: { only: ["openai"] } })
      assert.strictEqual(answer.status, 502)
      assert.deepEqual(await budgetOf(key), { spent: String(heldCost), held: "0" })
      assert.deepEqual(await recorded("provider"), [["openai", 1, 0]])
    })
})

describe("long events of a stream", () => {
  const chunk = (content: unknown) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage })}\n\ndata: [DONE]\n\n`

  /** A stream of which one event comes in two parts. */
  const unfinishedStream = (event: string) => {
    const begun = deferred()
    const go = deferred()
    const script = async (_: unknown, response: ServerResponse) => {
      startStream(response)
      response.write(`${chunk("a")}${event.slice(0, -10)}`, () => begun.resolve())
      await go.promise
      response.end(`${event.slice(-10)}${end}`)
    }
    return { begun: begun.promise, go: go.resolve, script }
  }

  it("count as they arrive, and no longer than they are handled", async () => {
    const key = await newKey({ limit: 1_000 })
    const first = unfinishedStream(chunk("x".repeat(4 * long)))
    upstream.plays("openai", first.script)
    const answered = await ask(key.key, { stream: true })
    await first.begun
    upstream.plays("openai", completes("x".repeat(long), usage))
    await eventually("the first is counted", async () => {
      const answer = await ask(key.key)
      return answer.status === 503 ? true : void (await answer.text())
    })
    first.go()
    assert.include(await answered.text(), "[DONE]")
    assert.strictEqual((await ask(key.key)).status, 200)
  })

  it("end it where they would take more than a third of the heap", async () => {
    heap = 16_000_000
    const key = await newKey({ limit: 1_000 })
    const event = unfinishedStream(chunk(Array.from({ length: 20_000 }, () => ({}))))
    upstream.plays("openai", event.script)
    const answered = await ask(key.key, { stream: true })
    event.go()
    const text = await answered.text()
    assert.include(text, '"a"')
    assert.notInclude(text, "[DONE]")
  })
})

describe("a whole answer that nobody reads", () => {
  /** More than sockets hold. */
  const content = "x".repeat(200 * long)

  /** Reads the head, and no more. */
  const readHead = async (key: string) => {
    upstream.plays("openai", completes(content, usage))
    const body = JSON.stringify({ model: "acme/sonnet", messages: hello, max_tokens: 100 })
    const { hostname, pathname, port } = new URL(address())
    const socket = connect(Number(port), hostname).on("error", () => {})
    await once(socket, "connect")
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}`
    socket.write(`POST ${pathname}/chat/completions HTTP/1.1\r\n${head}\r\n\r\n${body}`)
    let read = ""
    while (!read.includes("\r\n\r\n")) read += String((await once(socket, "data"))[0])
    socket.pause()
    upstream.plays("openai", completes("x".repeat(long), usage))
    return { socket, read: read.length }
  }

  it("counts until its client has gone", async () => {
    const { key } = await newKey({ limit: 1_000 })
    const { socket } = await readHead(key)
    assert.strictEqual((await ask(key)).status, 503)
    socket.destroy()
    await eventually("room", async () => ((await ask(key)).status === 200 ? true : undefined))
  })

  it("ends with its connection after a time by its size", async () => {
    graceMillis = 50
    const { key } = await newKey({ limit: 1_000 })
    const { socket, read } = await readHead(key)
    await eventually("room", async () => ((await ask(key)).status === 200 ? true : undefined))
    let size = read
    socket.on("data", (piece: Buffer) => void (size += piece.length)).resume()
    await new Promise((resolve) => socket.once("close", resolve))
    assert.isBelow(size, content.length)
  })
})
