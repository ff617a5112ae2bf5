/** What becomes of bodies in very small pieces. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { inTurn } from "../../../node/src/http/inTurn.ts"
import { refuseUnreadable } from "../../../node/src/http/refuseUnreadable.ts"
import { joinPieces } from "../../../node/src/http/joinPieces.ts"

const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Answers how many bytes have come. */
const reading: Listener = (request, response) => {
  let size = 0
  request.on("data", (piece: Buffer) => (size += piece.length)).on("end", () => response.end(`${size}\n`))
}

/** What a client is sent until the connection ends. */
const answersTo = (sent: string, listener: Listener = reading) =>
  Effect.promise(async () => {
    const refuse = refuseUnreadable({})
    const server = createServer((request, response) => {
      joinPieces(request, (cause) => refuse(cause, request.socket))
      listener(request, response)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {})
    try {
      socket.write(sent)
      return await text(socket)
    } finally {
      socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  })

const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
const sizes = (answers: string) => answers.match(/^\d+$/gm)?.map(Number)

describe("joinPieces", () => {
  it.live("takes many small pieces, and some that are very small", () =>
    Effect.gen(function* () {
      const line = chunk("x".repeat(100)).repeat(20_000)
      assert.deepStrictEqual(sizes(yield* answersTo(`${head}${line}0\r\n\r\n${last}`)), [2_000_000, 0])
      assert.deepStrictEqual(sizes(yield* answersTo(`${head}${chunk("x").repeat(4_000)}0\r\n\r\n${last}`)), [4_000, 0])
    })
  )

  it.live("takes any number of short bodies", () =>
    Effect.gen(function* () {
      const body = `${head}${chunk("{")}${chunk("}")}0\r\n\r\n`
      const answers = sizes(yield* answersTo(body.repeat(5_000) + last))
      assert.lengthOf(answers ?? [], 5_001)
    })
  )

  it.live("ends the connection that sends thousands of very small pieces, whether or not somebody reads them", () =>
    Effect.gen(function* () {
      for (const listener of [reading, () => {}, (request: IncomingMessage) => void request.resume()]) {
        const answer = yield* answersTo(head + chunk("x").repeat(5_000), listener)
        assert.match(answer, /^HTTP\/1\.1 400 [^]*"chunks_too_small"[^]*Expected chunks of at least 8 bytes on average/)
      }
    })
  )

  it.live("counts them over the requests of a connection", () =>
    Effect.gen(function* () {
      const body = `${head}${chunk("x").repeat(1_000)}0\r\n\r\n`
      const answers = yield* answersTo(body.repeat(6), (request, response) => {
        request.resume().on("end", () => response.end("answered\n"))
      })
      assert.isAtMost(answers.match(/answered/g)?.length ?? 0, 5)
    })
  )

  it.live("cuts it behind an answer that has begun", () =>
    Effect.gen(function* () {
      const answer = yield* answersTo(head + chunk("x").repeat(5_000), (request, response) =>
        inTurn(request, response, () => void response.write("early\n"))
      )
      assert.notInclude(answer, "chunks_too_small")
    })
  )
})
