/**
 * Many connections with as many headers, values and requests as they may have do not end a small server, and silent ones keep nobody out
 * (Rule: requests#answers-in-flight, requests#bodies-in-flight).
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const heapMiB = 256

let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess({
    environment: { DATABASE_URL: "", NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
  })
}, 60_000)
afterAll(() => server?.stop())

const headers = {
  "1,900 of one byte": Array.from({ length: 1_900 }, (_, index) => `${index.toString(36)}:1`),
  "95 of 150 bytes": Array.from({ length: 95 }, (_, index) => `h${index}: ${"x".repeat(150)}`)
}

/** Resolves when what was sent has been taken, or the server has refused the connection. */
const send = async (text: string): Promise<Socket> => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).on("error", () => {})
  await Promise.race([once(socket, "connect"), once(socket, "close")])
  socket.pause()
  socket.write(text)
  return socket
}

const get = (path: string, lines: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n")

describe(`unread answers to requests with long headers, on a heap of ${heapMiB} MiB`, () => {
  for (const [title, lines] of Object.entries(headers))
    for (const [connections, page, probes] of [
      [250, 4, 12],
      [3_000, 1, 0]
    ] as const)
      it(
        `leave the server to others: ${title}, ${page + probes} on each of ${connections}`,
        { timeout: 120_000 },
        async () => {
          const text = get("/docs/ui.js", lines).repeat(page) + get("/livez", lines).repeat(probes)
          const sockets: Socket[] = []
          for (let made = 0; made < connections; made += 50)
            sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => send(text)))))
          try {
            assert.isNull(server.child.exitCode)
          } finally {
            for (const socket of sockets) socket.destroy()
          }
          await eventually("an answer to somebody else", async () => {
            const { status } = await fetch(new URL("/livez", server.url), { headers: { connection: "close" } })
            return status === 200 ? status : undefined
          })
        }
      )

  it("takes 100 headers, and refuses one more", async () => {
    const { origin } = new URL(server.url)
    const ask = (count: number) =>
      fetch(`${origin}/livez`, {
        headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "1"]))
      })
    // Clients send some of their own.
    assert.strictEqual((await ask(90)).status, 200)
    const refused = await ask(101)
    assert.strictEqual(refused.status, 400)
    const { error } = (await refused.json()) as { error: { metadata: { issues: readonly { message: string }[] } } }
    assert.strictEqual(error.metadata.issues[0]?.message, "Expected at most 100 headers")
  })

  for (const chunked of [false, true])
    it(
      `takes short bodies of very many values a few at a time${chunked ? ", of no announced length" : ""}`,
      { timeout: 120_000 },
      async () => {
        const { key } = (await callServer(server.url, "POST", "/keys", { body: { name: "app" } })).json as {
          key: string
        }
        const values = Array.from({ length: 21_000 }, () => [])
        const tool = { type: "function", function: { name: "f", parameters: { enum: values } } }
        const text = JSON.stringify({ model: "a/b", messages: [{ role: "user", content: "x" }], tools: [tool] })
        const ask = () => {
          const init: RequestInit & { readonly duplex: "half" } = {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: chunked ? new Blob([text]).stream() : text,
            duplex: "half"
          }
          return fetch(`${server.url}/presets/many/chat/completions`, init)
        }
        const statuses = await Promise.all(
          Array.from({ length: 1_000 }, async () => {
            const answer = await ask()
            await answer.text()
            return answer.status
          })
        )
        assert.includeMembers([200, 429], [...new Set(statuses)])
        assert.include(statuses, 200)
        assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
      }
    )

  for (const [title, value] of [
    ["objects", "{}"],
    ["keys of their own", undefined],
    ["arrays in arrays", "[[[[]]]]"]
  ] as const)
    it(`refuses long bodies of very many values to whoever has no key: ${title}`, { timeout: 120_000 }, async () => {
      const values: string[] = []
      for (let size = 0; size < 1_000_000; size += (values.at(-1)?.length ?? 0) + 1)
        values.push(value ?? `{"${values.length.toString(36)}":1}`)
      const ask = async (path: string) => {
        const body = `{"code":[${values.join()}]}`
        const answer = await fetch(`${server.url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body
        })
        await answer.text()
        return answer.status
      }
      const statuses = await Promise.all(Array.from({ length: 64 }, () => ask("/auth/keys")))
      assert.deepStrictEqual([...new Set(statuses)], [413])
    })

  it("refuses long bodies of very many values to one key", { timeout: 120_000 }, async () => {
    const text = JSON.stringify({ name: Array.from({ length: 330_000 }, () => ({})) })
    const ask = async () => (await callServer(server.url, "POST", "/keys", { body: JSON.parse(text) as object })).status
    const statuses = await Promise.all(Array.from({ length: 24 }, ask))
    assert.includeMembers([400, 429], [...new Set(statuses)])
    assert.include(statuses, 400)
  })

  it("takes short bodies of wide text a few at a time", { timeout: 120_000 }, async () => {
    const { key } = (await callServer(server.url, "POST", "/keys", { body: { name: "wide" } })).json as { key: string }
    const body = JSON.stringify({ messages: [{ role: "user", content: `€${"x".repeat(60_000)}` }] })
    const statuses = await Promise.all(
      Array.from({ length: 2_000 }, async () => {
        const answer = await fetch(`${server.url}/presets/wide/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body
        }).catch(() => undefined)
        await answer?.text().catch(() => undefined)
        return answer?.status
      })
    )
    assert.include(statuses, 200)
    assert.include(statuses, 429)
    assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
  })

  it(
    "leaves the server to others, however many send bodies byte by byte, and refuses these",
    { timeout: 120_000 },
    async () => {
      const { hostname, port, pathname } = new URL(server.url)
      const { key } = (await callServer(server.url, "POST", "/keys", { body: { name: "bytes" } })).json as {
        key: string
      }
      const lines = ["Host: x", `Authorization: Bearer ${key}`, "Content-Type: application/json"]
      const head = [`POST ${pathname}/presets/bytes/chat/completions HTTP/1.1`, ...lines]
      const piece = "1\r\n \r\n".repeat(60_000)
      const sockets = await Promise.all(
        Array.from({ length: 150 }, async () => {
          const socket = connect(Number(port), hostname).on("error", () => {})
          await once(socket, "connect")
          socket.resume().write([...head, "Transfer-Encoding: chunked", "", ""].join("\r\n"))
          const closed = once(socket, "close")
          await Promise.race([new Promise((resolve) => socket.write(piece, resolve)), closed])
          return { socket, closed }
        })
      )
      try {
        await Promise.all(sockets.map(({ closed }) => closed))
        assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
        assert.isNull(server.child.exitCode)
      } finally {
        for (const { socket } of sockets) socket.destroy()
      }
    }
  )

  it("forgets requests that wait on connections which end", { timeout: 120_000 }, async () => {
    const text = get("/api/v1/key", ["Authorization: Bearer nobody", `x-long: ${"x".repeat(15_000)}`]).repeat(16)
    const leave = async () => {
      for (let made = 0; made < 500; made++) {
        const socket = await send(text)
        await new Promise((resolve) => setImmediate(resolve))
        socket.destroy()
      }
    }
    await Promise.all(Array.from({ length: 8 }, leave))
    assert.isNull(server.child.exitCode)
    assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
  })

  it("lets others in however many say nothing", { timeout: 120_000 }, async () => {
    const { hostname, port } = new URL(server.url)
    const sockets = Array.from({ length: 3_000 }, () => connect(Number(port), hostname).on("error", () => {}))
    try {
      for (let asked = 0; asked < 5; asked++)
        await eventually("an answer", async () => {
          const answered = await fetch(new URL("/livez", server.url), { headers: { connection: "close" } }).catch(
            () => undefined
          )
          return answered?.status === 200 ? true : undefined
        })
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
})
