/** The reference gateway before upstreams that take no connection: nothing was sent, so that nothing is charged. */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { GaveUp, post } from "../../../examples/gateway/src/post.ts"

const failureOf = async (begin: string) => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const what = { headers: {}, body: "{}", silence_ms: 50, signal: new AbortController().signal }
  const cause = await post(`${begin}127.0.0.1:${port}/`, what).catch((thrown: unknown) => thrown)
  for (const socket of sockets) socket.destroy()
  server.close()
  return cause
}

describe("an upstream that is silent", () => {
  it("before its certificate is no attempt that it may bill for", async () => {
    const cause = await failureOf("https://")
    assert.notInstanceOf(cause, GaveUp)
    assert.strictEqual((cause as { readonly code?: unknown }).code, "ETIMEDOUT")
  })

  it("once it could be sent the request is one", async () => {
    assert.instanceOf(await failureOf("http://"), GaveUp)
  })
})
