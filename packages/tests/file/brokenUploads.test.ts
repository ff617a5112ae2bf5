/**
 * Uploads that end in the middle leave nothing: neither the bytes that came, nor a row that says that there is a file.
 *
 * Whether the client goes or the server gives up a trickle, on a local disk, in PostgreSQL and before a bucket.
 */
import { assert, describe, it } from "@effect/vitest"
import { defaultBodyLimits, defaultSettings, layerMemory, parseKeyring } from "@gatewarden/core/effect"
import { FileContents, type StorePorts } from "@gatewarden/core/store"
import { layerDirectoryFileContents, s3FileContents, startServer } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { once } from "node:events"
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { objectStorageAccess, startObjectStorage } from "@gatewarden/testkit/upstream/objectStorage"

const managementKey = "broken-uploads-management-key-0123456789"
const fileSize = 20_000_000
const sentSize = 3_000_000

interface Place {
  readonly store: Layer.Layer<StorePorts, unknown>
  /** How much there is of files, finished or not. */
  readonly found: () => Promise<number>
}

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-broken-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** Files of this process below a directory, those too that have no name any more. */
const openBelow = async (directory: string): Promise<number> => {
  const descriptors = await readdir("/proc/self/fd")
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")))
  return targets.filter((target) => target.startsWith(directory)).length
}

const places: Readonly<Record<string, Effect.Effect<Place, unknown, Scope.Scope>>> = {
  "a local disk": Effect.map(temporary, (directory) => ({
    store: Layer.merge(layerMemory, layerDirectoryFileContents(directory)),
    found: async () => (await readdir(directory)).length
  })),
  PostgreSQL: Effect.map(
    Effect.promise(() => createMigratedDatabase(inject("postgres"))),
    (url) => ({
      store: layerPostgresStore({ url: Redacted.make(url) }),
      found: async () => {
        const [row] = await execute(
          url,
          `select (select count(*) from gatewarden_file) + (select count(*) from gatewarden_file_content)
             + (select coalesce(sum(rows + bytes), 0) from gatewarden_stored_amount where kind = 'file') as found`
        )
        return Number(row?.["found"])
      }
    })
  ),
  "a bucket": Effect.gen(function* () {
    const { endpoint, objects } = yield* startObjectStorage
    const spoolDirectory = yield* temporary
    const { secretAccessKey, ...access } = objectStorageAccess
    const contents = s3FileContents({
      ...access,
      secretAccessKey: Redacted.make(secretAccessKey),
      endpoint,
      spoolDirectory
    })
    return {
      store: Layer.merge(layerMemory, Layer.succeed(FileContents, contents)),
      found: async () => objects.size + (await readdir(spoolDirectory)).length + (await openBelow(spoolDirectory))
    }
  })
}

const start = Effect.fnUntraced(function* ({ store }: Place, graceMillis: number) {
  const parsed = parseKeyring(`k1:${Buffer.alloc(32, 7).toString("base64")}`)
  if ("problem" in parsed) return yield* Effect.die(new Error(parsed.problem))
  const { url } = yield* startServer({
    store,
    keyring: parsed.keyring,
    managementKey: Redacted.make(managementKey),
    settings: { ...defaultSettings, bodies: { ...defaultBodyLimits, graceMillis, minBytesPerSecond: 1e9 } },
    host: "127.0.0.1",
    port: 0
  })
  return new URL(url)
})

/** An upload of which a part has been sent. */
const begin = async ({
  hostname,
  port,
  pathname
}: URL): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> => {
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  let text = ""
  socket.on("data", (piece: Buffer) => void (text += piece.toString())).on("error", () => {})
  const answer = once(socket, "close").then(() => text)
  socket.write(
    `POST ${pathname}/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${managementKey}\r\n` +
      `Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: ${fileSize}\r\n\r\n` +
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
  )
  socket.write(Buffer.alloc(sentSize, "a"))
  return { socket, answer }
}

const whole = async (url: URL): Promise<number> => {
  const form = new FormData()
  form.set("file", new Blob(["x".repeat(600_000)]), "a.txt")
  const headers = { authorization: `Bearer ${managementKey}` }
  return (await fetch(`${url.href}/files`, { method: "POST", headers, body: form })).status
}

for (const [name, opened] of Object.entries(places))
  describe(`an upload to ${name}`, () => {
    it.live("that its client breaks off leaves nothing", () =>
      Effect.gen(function* () {
        const place = yield* opened
        const url = yield* start(place, 60_000)
        yield* Effect.promise(async () => {
          const { socket, answer } = await begin(url)
          await eventually("a beginning", async () => ((await place.found()) > 0 ? true : undefined))
          socket.destroy()
          await answer
          await eventually("nothing of it", async () => ((await place.found()) === 0 ? true : undefined))
          assert.strictEqual(await whole(url), 200)
          assert.isAbove(await place.found(), 0)
        })
      })
    )

    it.live("that trickles is 408, and leaves nothing", () =>
      Effect.gen(function* () {
        const place = yield* opened
        const url = yield* start(place, 300)
        yield* Effect.promise(async () => {
          const { answer } = await begin(url)
          const answered = await answer
          assert.match(answered, /^HTTP\/1\.1 408 [^]*request_timeout/)
          await eventually("nothing of it", async () => ((await place.found()) === 0 ? true : undefined))
        })
      })
    )
  })
