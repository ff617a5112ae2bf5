/**
 * Contents of files in a bucket of a real S3 server: the port, and a server that is told to use it. That server knows the access key and does not
 * compare signatures of version 4; `upstream/objectStorage.ts` does.
 */
import { FileContents, FileStorageUnavailable } from "@gatewarden/core/store"
import { s3FileContents } from "@gatewarden/node/effect"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Redacted, Stream } from "effect"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"
import { fileContentsSuite } from "@gatewarden/conformance/internal/file/FileContents.suite"
import { formOf } from "@gatewarden/conformance/internal/file/fileBytes"
import { managementKey, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const bucket = "gatewarden-files"
/** The only key that this server knows. */
const access = { region: "us-east-1", accessKeyId: "S3RVER", secretAccessKey: Redacted.make("S3RVER") }

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-s3-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** Listens as long as the scope lives, on a free port unless one is named. */
const listening = (directory: string, port = 0) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const options = { address: "127.0.0.1", port, directory, silent: true, configureBuckets: [{ name: bucket }] }
        const server = new S3rver(options)
        return { server, port: (await server.run()).port }
      }),
      ({ server }) => Effect.promise(() => server.close())
    ),
    (started) => started.port
  )

const started = Effect.flatMap(temporary, (directory) => listening(directory))

const contentsAt = (port: number, more: object = {}) =>
  s3FileContents({ ...access, bucket, endpoint: `http://127.0.0.1:${port}`, ...more })

fileContentsSuite(
  "s3rver",
  Layer.effect(
    FileContents,
    Effect.map(started, (port) => contentsAt(port))
  )
)

const one = Stream.succeed(new Uint8Array([1]))

const assertUnavailable = (exit: Exit.Exit<unknown, unknown>): void => {
  const defect = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
  assert.instanceOf(defect, FileStorageUnavailable)
}

describe("a bucket of a real server", () => {
  it.live("is unavailable with an unknown key, and where there is none", () =>
    Effect.gen(function* () {
      const port = yield* started
      for (const more of [{ accessKeyId: "another" }, { bucket: "another" }]) {
        const contents = contentsAt(port, more)
        assertUnavailable(yield* Effect.exit(contents.put("gw_file_1", one)))
        assertUnavailable(yield* Effect.exit(Effect.scoped(contents.get("gw_file_1"))))
        assertUnavailable(yield* Effect.exit(contents.remove("gw_file_1")))
      }
      assert.isTrue(Option.isNone(yield* Effect.scoped(contentsAt(port).get("gw_file_1"))))
    })
  )

  it.live("keeps the files of a server, which loses none while the bucket is away", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const objects = async (): Promise<readonly string[]> =>
        (await readdir(join(directory, bucket), { recursive: true })).filter((name) => name.endsWith("_object"))
      // The server knows the bucket by its port, so it comes back on the same one.
      const port = yield* Effect.scoped(listening(directory))
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startServerProcess({
            environment: {
              GATEWARDEN_FILE_STORAGE: `s3://${bucket}/gate/one`,
              GATEWARDEN_S3_ENDPOINT: `http://127.0.0.1:${port}`,
              GATEWARDEN_S3_ACCESS_KEY_ID: access.accessKeyId,
              GATEWARDEN_S3_SECRET_ACCESS_KEY: Redacted.value(access.secretAccessKey)
            }
          })
        ),
        ({ stop }) => Effect.promise(stop)
      )
      const headers = { authorization: `Bearer ${managementKey}` }
      const send = (method: string, path: string, body?: FormData) =>
        Effect.promise(() => fetch(`${server.url}${path}`, { method, headers, ...(body && { body }) }))
      const upload = send("POST", "/files", formOf("a.txt", "x".repeat(300_000)))

      const id = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* listening(directory, port)
          const uploaded = yield* upload
          assert.strictEqual(uploaded.status, 200)
          const { id } = (yield* Effect.promise(() => uploaded.json())) as { readonly id: string }
          assert.deepEqual(yield* Effect.promise(objects), [join("gate", "one", `${id}._S3rver_object`)])
          return id
        })
      )
      for (const away of [yield* upload, yield* send("DELETE", `/files/${id}`)]) {
        assert.strictEqual(away.status, 503)
        assert.isNotNull(away.headers.get("retry-after"))
        assert.include(yield* Effect.promise(() => away.text()), "file_storage_unavailable")
      }
      assert.strictEqual((yield* send("GET", "/files")).status, 200)
      assert.lengthOf(yield* Effect.promise(objects), 1)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* listening(directory, port)
          assert.strictEqual((yield* send("DELETE", `/files/${id}`)).status, 200)
          assert.deepEqual(yield* Effect.promise(objects), [])
          assert.strictEqual((yield* upload).status, 200)
        })
      )
    })
  )
})
