/** What becomes of clients that do not read their answers. */
import { assert, describe, it } from "@effect/vitest"
import { type App, defaultBodyLimits } from "@gatewarden/core/internal"
import { Context, Effect } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { answerNode } from "../../../node/src/http/answerNode.ts"

const pace = { firstByteMillis: 1_000, graceMillis: 200, minBytesPerSecond: 1_000_000_000 }

/** More than the buffers of a connection take. */
const long = "x".repeat(16 * 1_048_576)

describe("the server", () => {
  for (const [what, body] of [
    ["a text", long],
    ["pieces", Array.from({ length: 16 }, () => new Uint8Array(1_048_576))]
  ] as const)
    it.live(
      `disconnects who does not read a long answer that is not counted: ${what}`,
      () =>
        Effect.promise(async () => {
          const app: Pick<App, "answer" | "services" | "errorDocs"> = {
            answer: () => Effect.succeed({ status: 200, headers: {}, body }),
            services: Context.empty() as App["services"],
            errorDocs: () => ""
          }
          const { listener } = answerNode(app, pace)
          const server = createServer()
          const closed = new Promise<ServerResponse>((resolve) => {
            server.on("request", (request, response) => {
              response.once("close", () => resolve(response))
              listener(request, response)
            })
          })
          await once(server.listen(0, "127.0.0.1"), "listening")
          const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
          try {
            socket.on("error", () => {}).write("PATCH / HTTP/1.1\r\nHost: x\r\n\r\n")
            const waited = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 20_000))
            assert.isDefined(await Promise.race([closed, waited]))
          } finally {
            socket.destroy()
            await new Promise((resolve) => server.close(resolve))
          }
        }),
      30_000
    )

  for (const [what, body] of [
    ["a text", long],
    ["one piece", [Buffer.from(long)]]
  ] as const)
    it.live(`hands a long answer on as it is taken, so that it is seen how fast: ${what}`, () =>
      Effect.promise(async () => {
        const app: Pick<App, "answer" | "services" | "errorDocs"> = {
          answer: () => Effect.succeed({ status: 200, headers: {}, body }),
          services: Context.empty() as App["services"],
          errorDocs: () => ""
        }
        const { listener } = answerNode(app, defaultBodyLimits)
        const server = createServer(listener)
        await once(server.listen(0, "127.0.0.1"), "listening")
        const accepted = once(server, "connection") as Promise<[Socket]>
        const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
        try {
          socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
          const [connection] = await accepted
          while (connection.writableLength === 0) await new Promise((resolve) => setImmediate(resolve))
          assert.isBelow(connection.writableLength, 262_144)
          let size = 0
          for await (const piece of socket) size += (piece as Buffer).length
          assert.isAbove(size, long.length)
        } finally {
          socket.destroy()
          await new Promise((resolve) => server.close(resolve))
        }
      })
    )
})
