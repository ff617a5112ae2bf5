/** The reference gateway. A client that stops reading keeps neither its stream nor what is held for it. */
import { once } from "node:events"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { gatewayUnderTest, hello } from "./gatewayUnderTest.ts"

const { address, budgetOf, newKey, settledOf, upstream } = gatewayUnderTest(() => ({ readMillis: 50 }))

/** More than sockets hold. */
const pieces = 300
const piece = "x".repeat(100_000)

describe("a client that stops reading", () => {
  for (const before of [0, 1])
    it(`is cut off, and pays for the stream, behind ${before} pipelined requests`, async () => {
      const key = await newKey({ limit: 10_000_000 })
      upstream.plays("openai", async (_, response) => {
        startStream(response)
        const closed = once(response, "close")
        for (let sent = 0; sent < pieces; sent++) {
          sendEvent(response, delta(piece))
          if (response.writableNeedDrain) await Promise.race([once(response, "drain"), closed])
        }
        const usage = { prompt_tokens: 7, completion_tokens: 3 }
        for (const event of [{ choices: [], usage }, "[DONE]"]) sendEvent(response, event)
        response.end()
      })
      const request = (fields: object) => {
        const body = JSON.stringify({ model: "acme/sonnet", messages: hello, max_tokens: 100, ...fields })
        return [
          `POST ${new URL(address()).pathname}/chat/completions HTTP/1.1`,
          "Host: x",
          `Authorization: Bearer ${key.key}`,
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
          "",
          body
        ].join("\r\n")
      }
      const { hostname, port } = new URL(address())
      const socket = connect(Number(port), hostname).on("error", () => {})
      await once(socket, "connect")
      socket.write(request({ model: "nobody/has-this" }).repeat(before) + request({ stream: true }))
      // The head of the stream has come, and nothing is read any more.
      let read = ""
      while (!read.includes("text/event-stream")) read += String((await once(socket, "data"))[0])
      socket.pause()
      await settledOf(key)
      assert.strictEqual((await budgetOf(key)).spent, "0.01")
      socket.destroy()
    })
})
