/** Real requests on loopback, with a resolver of the test. */
import { isPublicAddress } from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createServer, type Server } from "node:http"
import { createServer as createTcpServer, type LookupFunction } from "node:net"
import { fetchAllowed } from "../../../node/src/outgoing/fetchAllowed.ts"
import { guardedFetch } from "../../../node/src/outgoing/guardedFetch.ts"

let server: Server
let port: number
let connections = 0
const hosts: (string | undefined)[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    hosts.push(request.headers.host)
    if (request.url === "/moved") response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end()
    else response.end("reached")
  })
  server.on("connection", () => connections++)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  port = typeof address === "object" && address !== null ? address.port : assert.fail()
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const get = { method: "GET", headers: {}, redirect: "manual" as const, signal: new AbortController().signal }

const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => assert.fail("connected"),
    (cause: unknown) => (cause as Error).name
  )

/** Answers its lists in turn, the last one for ever. */
const resolver = (...lists: readonly (readonly string[])[]) => {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, _, callback) => {
    const list = lists[Math.min(asked.length, lists.length - 1)] ?? []
    asked.push(hostname)
    callback(
      null,
      list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    )
  }
  return { lookup, asked }
}

/** Here loopback is the internet, and all else is inside. */
const allows = (address: string) => address === "127.0.0.1"

/** Fetches from a server that sends these bytes to whoever connects, whatever it is asked. */
const fetchFrom = async <A>(sent: string, read: (answer: Promise<Response>) => Promise<A>): Promise<A> => {
  const scripted = createTcpServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(sent))
  })
  await new Promise<void>((done) => scripted.listen(0, "127.0.0.1", done))
  const address = scripted.address()
  const at = typeof address === "object" && address !== null ? address.port : assert.fail()
  try {
    return await read(fetchAllowed({ allows })(`http://127.0.0.1:${at}/`, get))
  } finally {
    scripted.close()
  }
}

describe("an answer that changes the protocol", () => {
  it("fails at once", async () => {
    const sent = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n"
    assert.strictEqual(await fetchFrom(sent, refusal), "Error")
  })
})

describe("informational answers", () => {
  const informational = [
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 102 Processing\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
  ]
  const final = "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nreached"

  for (const one of informational) {
    it(`are passed over, eight at most: ${one.slice(9, 12)}`, async () => {
      const text = await fetchFrom(one.repeat(8) + final, async (answer) => (await answer).text())
      assert.strictEqual(text, "reached")
    })

    it(`fail from the ninth on: ${one.slice(9, 12)}`, async () => {
      const message = await fetchFrom(one.repeat(9) + final, (answer) => answer.catch((cause: Error) => cause.message))
      assert.strictEqual(message, "Expected at most 8 informational responses")
    })
  }
})

describe("an answer in small chunks", () => {
  const chunked = (chunk: string, count: number) =>
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`

  it("arrives in pieces that are larger", async () => {
    const pieces = await fetchFrom(chunked("ten bytes.", 20_000), async (answer) => {
      const lengths: number[] = []
      for await (const piece of (await answer).body ?? assert.fail()) lengths.push(piece.length)
      return lengths
    })
    assert.strictEqual(
      pieces.reduce((sum, length) => sum + length, 0),
      200_000
    )
    assert.isBelow(pieces.length, 2_000)
  })

  it("is read where few of them are very small", async () => {
    const text = await fetchFrom(chunked("x", 4_000), async (answer) => (await answer).text())
    assert.lengthOf(text, 4_000)
  })

  it("fails where thousands are very small, whether or not somebody reads it", async () => {
    for (const delayed of [false, true]) {
      const failure = await fetchFrom(chunked("x", 20_000), async (answer) => {
        const received = await answer
        if (delayed) await new Promise((done) => setImmediate(done))
        return received.text().then(
          () => assert.fail("read"),
          (cause: Error) => cause.message
        )
      })
      assert.strictEqual(failure, "Expected chunks of at least 8 bytes on average")
    }
  })
})

describe("names", () => {
  for (const inside of [
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "0.0.0.0",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fd00:ec2::254",
    "fe80::1"
  ])
    it(`that lead to ${inside} are not connected to`, async () => {
      const before = connections
      const { lookup, asked } = resolver([inside])
      const guarded = fetchAllowed({ allows: isPublicAddress, lookup })
      assert.strictEqual(await refusal(guarded(`http://inside.example:${port}/`, get)), "AddressRefused")
      assert.strictEqual(await refusal(guarded(`https://inside.example:${port}/`, get)), "AddressRefused")
      assert.deepEqual(asked, ["inside.example", "inside.example"])
      assert.strictEqual(connections, before)
    })

  it("are resolved once a request, and connected to where they were judged", async () => {
    const { lookup, asked } = resolver(["127.0.0.1"], ["127.0.0.2"])
    const guarded = fetchAllowed({ allows, lookup })
    const answer = await guarded(`http://turning.example:${port}/`, get)
    assert.strictEqual(await answer.text(), "reached")
    assert.strictEqual(hosts.at(-1), `turning.example:${port}`)
    assert.lengthOf(asked, 1)
    assert.strictEqual(await refusal(guarded(`http://turning.example:${port}/`, get)), "AddressRefused")
    assert.lengthOf(asked, 2)
  })

  it("that lead to both kinds are connected to at the allowed address", async () => {
    const { lookup } = resolver(["10.0.0.1", "127.0.0.1", "::1"])
    const answer = await fetchAllowed({ allows, lookup })(`http://both.example:${port}/`, get)
    assert.strictEqual(await answer.text(), "reached")
  })

  it("that lead nowhere fail", async () => {
    assert.strictEqual(
      await refusal(fetchAllowed({ allows, lookup: resolver([]).lookup })("http://none.example/", get)),
      "AddressRefused"
    )
  })
})

describe("redirects", () => {
  it("are answers, whatever they point to", async () => {
    const { lookup } = resolver(["127.0.0.1"])
    const answer = await fetchAllowed({ allows, lookup })(`http://moved.example:${port}/moved`, get)
    assert.strictEqual(answer.status, 302)
    assert.strictEqual(hosts.at(-1), `moved.example:${port}`)
  })
})

const byte = fc.nat({ max: 255 })
const privateV4 = fc.oneof(
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.constant(0), byte, byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte)
)

/** Every way in which a URL may write an IPv4 address, and IPv6 addresses that stand for it. */
const forms = ([a, b, c, d]: readonly [number, number, number, number]): readonly string[] => {
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const octal = (part: number) => `0${part.toString(8)}`
  const hex = (part: number) => `0x${part.toString(16)}`
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    String(number),
    hex(number),
    hex(number).toUpperCase(),
    octal(number),
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map(hex).join("."),
    `${hex(a)}.${octal(b)}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `%3${String(a)[0]}${String(a).slice(1)}.${b}.${c}.${d}`,
    `${a}\u3002${b}\uff0e${c}.${d}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${a}.${b}.${c}.${d}]`,
    `[64:ff9b::${a}.${b}.${c}.${d}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`
  ]
}

describe("addresses in a URL", () => {
  it("are refused in every form, without a look-up and without a connection", async () => {
    const before = connections
    const { lookup, asked } = resolver(["127.0.0.1"])
    const guarded = fetchAllowed({ allows: isPublicAddress, lookup })
    await fc.assert(
      fc.asyncProperty(privateV4, async (address) => {
        for (const form of forms(address)) {
          const url = `http://user:password@${form}:${port}/`
          assert.strictEqual(await refusal(guarded(url, get)), "AddressRefused", form)
        }
      }),
      { numRuns: 200 }
    )
    assert.deepEqual(asked, [])
    assert.strictEqual(connections, before)
  })

  it("of other schemes go nowhere", async () => {
    const guarded = guardedFetch({ allowPrivate: true })
    for (const url of ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "data:,x"])
      await refusal(guarded(url, get))
  })
})
