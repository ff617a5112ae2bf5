/** The reference gateway. What a client may send at one time, and how slowly: as to the server. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { defaultBodyLimits, maxShortBytes } from "@gatewarden/core/effect"
import { type BodyReceiver, bodyReceiver } from "@gatewarden/node"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { completes } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { gatewayUnderTest, hello, usage } from "./gatewayUnderTest.ts"

const long = 100_000
/** Bytes that their texts may take in memory. */
let ofTexts = 1_000_000_000
/** Bytes that one of them may take in memory. */
let maxMemory = 1_000_000_000
/** Milliseconds that the bodies of a test may take. */
let { graceMillis } = defaultBodyLimits

/** Called when more has arrived of a body than is free. */
let onCounted = (): void => {}

/** Two long bodies at once of the API keys of an account, which have three quarters of an eighth of the process, and one of each key. */
const receiver = (): BodyReceiver => {
  const json = { process: 24 * long, key: long }
  const values = {
    get process() {
      return ofTexts
    },
    key: ofTexts
  }
  const { receive } = bodyReceiver({ limits: { ...defaultBodyLimits, graceMillis, json, values }, maxMemory })
  return {
    receive: (request, ...rest) => {
      const done = receive(request, ...rest)
      let size = 0
      request.on("data", (piece: Buffer) => {
        size += piece.length
        if (size > maxShortBytes) onCounted()
      })
      return done
    }
  }
}

const { address, ask, newKey, post, upstream } = gatewayUnderTest(() => ({ bodies: receiver(), headersTimeout: 50 }))

/** A connection that has sent so much; its answers are read to their end. */
const begun = async (text: string): Promise<{ readonly socket: Socket; readonly answered: Promise<string> }> => {
  const { hostname, port } = new URL(address())
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  socket.write(text)
  let answer = ""
  socket.on("data", (piece: Buffer) => void (answer += piece.toString()))
  return { socket, answered: once(socket, "close").then(() => answer) }
}

const head = (key: string, size: number) =>
  `POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${size}\r\n\r\n`

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { readonly error: object }

describe("a request that arrives too slowly", () => {
  beforeAll(() => void (graceMillis = 50))
  afterAll(() => void ({ graceMillis } = defaultBodyLimits))

  it("is given up with 408, whatever has come of its body", async () => {
    const { key } = await newKey()
    for (const part of ["", '{"model":']) {
      const { answered } = await begun(head(key, 1_000) + part)
      const answer = await answered
      assert.match(answer, /^HTTP\/1\.1 408 /)
      assert.match(answer, /\r\nx-request-id: \S+\r\n/i)
      assert.nestedPropertyVal(bodyOf(answer), "error.metadata.reason", "request_timeout")
    }
    assert.deepEqual(upstream.calls(), [])
  })

  it("is given up with 408 in the middle of its headers", async () => {
    const { answered } = await begun("POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-")
    const answer = await answered
    assert.match(answer, /^HTTP\/1\.1 408 /)
    assert.nestedPropertyVal(bodyOf(answer), "error.metadata.reason", "request_timeout")
  })
})

describe("a body that is not there yet", () => {
  it("is not waited for without a key, nor where it is long without one that is known", async () => {
    for (const begin of [head("", 1_000).replace(/Authorization[^\n]*\n/, ""), head("gw-v1-nobody", long)]) {
      const { socket, answered } = await begun(begin)
      await once(socket, "data")
      socket.end()
      assert.match(await answered, /^HTTP\/1\.1 401 /)
    }
  })
})

describe("long bodies", () => {
  const messages = [{ role: "user", content: "x".repeat(long - 1_000) }]

  it("count until they are answered: more of a key or of its account are 429, short ones are not", async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => newKey({ limit: 1_000 })))
    const arrived = [deferred(), deferred()]
    const go = deferred()
    let calls = 0
    upstream.plays("openai", async (call, response) => {
      arrived[calls++]?.resolve()
      await go.promise
      completes("hi", usage)(call, response)
    })
    const first = ask(one?.key ?? "", { messages })
    await arrived[0]?.promise
    const refused = async (key: string, whose: string) => {
      const answer = await ask(key, { messages })
      assert.strictEqual(answer.status, 429)
      assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
      const body: unknown = await answer.json()
      assert.nestedPropertyVal(body, "error.metadata.reason", "key_bodies_in_flight")
      assert.include(JSON.stringify(body), whose)
    }
    await refused(one?.key ?? "", "of one key")
    const second = ask(two?.key ?? "", { messages })
    await arrived[1]?.promise
    await refused(three?.key ?? "", "of the API keys of one account")
    const short = ask(three?.key ?? "", { messages: hello })
    go.resolve()
    for (const answer of await Promise.all([first, second, short])) assert.strictEqual(answer.status, 200)
    assert.strictEqual((await ask(three?.key ?? "", { messages })).status, 200)
  })

  it("count three times by the memory that their texts take", async () => {
    const [one, two] = await Promise.all([1, 2].map(() => newKey({ limit: 1_000 })))
    const [arrived, go] = [deferred(), deferred()]
    ofTexts = 5 * long
    upstream.plays("openai", async (call, response) => {
      arrived.resolve()
      await go.promise
      completes("hi", usage)(call, response)
    })
    const first = ask(one?.key ?? "", { messages })
    await arrived.promise
    assert.strictEqual((await ask(two?.key ?? "", { messages })).status, 429)
    go.resolve()
    assert.strictEqual((await first).status, 200)
    ofTexts = 1_000_000_000
  })

  it("that are short count by what their texts take beyond that of others: for their key, not for all who are not known", async () => {
    const [one, two] = await Promise.all([1, 2].map(() => newKey({ limit: 1_000 })))
    const short = [{ role: "user", content: "x".repeat(60_000) }]
    const [arrived, go] = [deferred(), deferred()]
    ofTexts = 32 * long
    upstream.plays("openai", async (call, response) => {
      arrived.resolve()
      await go.promise
      completes("hi", usage)(call, response)
    })
    const first = ask(one?.key ?? "", { messages: short })
    await arrived.promise
    const refused = await ask(one?.key ?? "", { messages: short })
    assert.strictEqual(refused.status, 429)
    assert.include(await refused.text(), "of one key")
    const other = ask(two?.key ?? "", { messages: short })
    go.resolve()
    for (const answer of await Promise.all([first, other])) assert.strictEqual(answer.status, 200)
    ofTexts = 1_000_000_000
  })

  describe("that take more than one may in memory", () => {
    beforeAll(() => void (maxMemory = 4 * long))
    afterAll(() => void (maxMemory = 1_000_000_000))

    it("are 413, although nothing else is in flight", async () => {
      const { key } = await newKey({ limit: 1_000 })
      upstream.plays("openai", completes("hi", usage))
      assert.strictEqual((await ask(key, { messages })).status, 200)
      // Each character takes two bytes as soon as one does.
      const [message] = messages
      const wide = await ask(key, { messages: [{ ...message, content: `\u4e16${message?.content}` }] })
      assert.strictEqual(wide.status, 413)
      assert.nestedPropertyVal(await wide.json(), "error.metadata.reason", "payload_too_large")
      assert.lengthOf(upstream.calls(), 1)
    })
  })

  it("that break off give back what they held", async () => {
    const { key } = await newKey({ limit: 1_000 })
    const counted = deferred()
    onCounted = counted.resolve
    const { socket, answered } = await begun(`${head(key, long)}{${" ".repeat(long - 2)}`)
    upstream.plays("openai", completes("hi", usage))
    await counted.promise
    assert.strictEqual((await ask(key, { messages })).status, 429)
    socket.destroy()
    await answered
    await eventually("room", async () => ((await ask(key, { messages })).status === 200 ? true : undefined))
  })
})

it("refuses bytes that are no UTF-8: no filter would read what a provider might", async () => {
  const { key } = await newKey()
  const [before, after] = JSON.stringify({ model: "acme/sonnet", messages: [{ role: "user", content: "|" }] }).split(
    "|"
  )
  const body = Buffer.concat([Buffer.from(before ?? ""), Buffer.of(0xff), Buffer.from(after ?? "")])
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const answer = await post("/chat/completions", { headers, body })
  assert.strictEqual(answer.status, 400)
  assert.nestedPropertyVal(await answer.json(), "error.metadata.reason", "invalid_json")
  assert.deepEqual(upstream.calls(), [])
})
