/**
 * Many large uploads that never end cost a small server nothing that it would miss: their bytes are on the disk, others are answered,
 * and one more of the same key is told to come again (Rule: requests#bodies-in-flight).
 */
import { readdir, readFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { once } from "node:events"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const MB = 1_000_000
const uploads = 14
const fileSize = 99 * MB
/** What the heap may have, which nobody would call generous. */
const heapMiB = 192
/** How much of each is sent: over twice what the process may grow by, all together, and nearly all that the keys may have in flight. */
const sentSize = 26 * MB
/** 1 MiB for each upload, and what buffers of connections and garbage come to before they are collected. */
const allowedGrowth = (uploads + 146) * 1_048_576

const head = Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')

let server: ServerProcess
/** Each may have half of what their account may have, and both three quarters. */
let keys: readonly { readonly key: string }[]
beforeAll(async () => {
  server = await startServerProcess({
    environment: { DATABASE_URL: "", NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
  })
  const create = async () => (await callServer(server.url, "POST", "/keys", { body: { name: "spent", limit: 0 } })).json
  keys = [await create(), await create()]
}, 60_000)
afterAll(() => server?.stop())

/** Bytes of the process that lie in memory. */
const residentBytes = async (): Promise<number> => {
  const status = await readFile(`/proc/${server.child.pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** Begins an upload of 99 MB; it is never sent to its end. */
const begin = async (number: number): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  socket.write(
    `POST ${pathname}/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys[number % 2]?.key}\r\n` +
      `Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: ${fileSize}\r\n\r\n`
  )
  socket.write(head)
  return socket
}

const send = async (socket: Socket, size: number): Promise<void> => {
  const piece = Buffer.alloc(MB, "a")
  for (let sent = 0; sent < size; sent += piece.length)
    if (!socket.write(piece.subarray(0, Math.min(piece.length, size - sent)))) await once(socket, "drain")
}

describe("uploads that never end", () => {
  it(
    `${uploads} of ${fileSize / MB} MB leave a server of ${heapMiB} MiB heap as it was`,
    { timeout: 120_000 },
    async () => {
      // Once through, so that what is compiled and cached is there.
      const first = await begin(0)
      await send(first, sentSize)
      const before = await residentBytes()
      const sockets = [first, ...(await Promise.all(Array.from({ length: uploads - 1 }, (_, at) => begin(at + 1))))]
      await Promise.all(sockets.slice(1).map((socket) => send(socket, sentSize)))
      const grown = (await residentBytes()) - before
      console.log(`resident memory grew by ${Math.round(grown / 1_048_576)} MiB for ${uploads} unfinished uploads`)
      assert.isBelow(grown, allowedGrowth)

      assert.strictEqual((await fetch(new URL("/livez", server.url))).status, 200)
      assert.strictEqual((await callServer(server.url, "GET", "/guardrails")).status, 200)

      const refused = await begin(0)
      // What arrives counts, not what is announced.
      send(refused, 20 * MB).catch(() => {})
      const [answer] = (await once(refused, "data")) as [Buffer]
      assert.match(String(answer), /^HTTP\/1\.1 429 [^]*retry-after: \d+\r\n[^]*key_uploads_in_flight/i)
      refused.destroy()

      // What breaks off gives back what it held, and leaves nothing.
      for (const socket of sockets) socket.destroy()
      const stored = await eventually("an upload after the others broke off", async () => {
        const form = new FormData()
        form.set("file", new Blob(["x".repeat(100_000)]), "a.txt")
        const headers = { authorization: `Bearer ${keys[0]?.key}` }
        const sent = await fetch(`${server.url}/files`, { method: "POST", headers, body: form })
        return sent.status === 200 ? ((await sent.json()) as { id: string }).id : undefined
      })
      await eventually("nothing left of the others", async () =>
        (await readdir(join(server.dataDirectory, "files"))).join() === stored ? stored : undefined
      )
    }
  )
})

describe("uploads that a bucket does not answer", () => {
  let bucket: Server
  /** Resolves with the method of the next request of the server. */
  const asked = async (): Promise<string | undefined> => {
    const [request] = (await once(bucket, "request")) as [{ readonly method?: string }]
    return request.method
  }
  beforeAll(async () => {
    bucket = createServer((request) => request.resume()).listen(0, "127.0.0.1")
    await once(bucket, "listening")
  })
  afterAll(() => {
    bucket.closeAllConnections()
    bucket.close()
  })

  // Rule: operating#shutdown.
  it.each(["waits", "has left"])(
    "let the server stop in order while the client %s",
    { timeout: 90_000 },
    async (what) => {
      const stopping = await startServerProcess({
        environment: {
          DATABASE_URL: "",
          GATEWARDEN_DRAIN_TIMEOUT_MS: "1000",
          GATEWARDEN_FILE_STORAGE: "s3://bucket/one",
          GATEWARDEN_S3_ENDPOINT: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`,
          GATEWARDEN_S3_ACCESS_KEY_ID: "id",
          GATEWARDEN_S3_SECRET_ACCESS_KEY: "secret"
        }
      })
      const form = new FormData()
      form.set("file", new Blob(["hello"]), "a.txt")
      const client = new AbortController()
      const request = asked()
      const upload = fetch(`${stopping.url}/files`, {
        method: "POST",
        headers: { authorization: `Bearer ${managementKey}` },
        body: form,
        signal: client.signal
      }).catch(() => "cut")
      assert.strictEqual(await request, "PUT")
      if (what === "has left") client.abort()
      assert.strictEqual(await stopping.stop(), 0, stopping.stderr())
      assert.strictEqual(await upload, "cut")
    }
  )
})
