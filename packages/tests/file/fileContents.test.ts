import { FileContents, FileStorageUnavailable } from "@gatewarden/core/store"
import { layerDirectoryFileContents, s3FileContents } from "@gatewarden/node/effect"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Redacted, Scope, Stream } from "effect"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { sweepStaleFiles } from "@gatewarden/core/internal"
import { formOf } from "@gatewarden/conformance/internal/file/fileBytes"
import { fileContentsSuite } from "@gatewarden/conformance/internal/file/FileContents.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"
import { objectStorageAccess, startObjectStorage } from "@gatewarden/testkit/upstream/objectStorage"

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-files-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const s3 = (endpoint: string, more: object = {}) => {
  const { secretAccessKey, ...access } = objectStorageAccess
  return s3FileContents({ ...access, secretAccessKey: Redacted.make(secretAccessKey), endpoint, ...more })
}

for (const [kind, store] of everyStore) fileContentsSuite(kind, store)
fileContentsSuite(
  "directory",
  Layer.unwrap(Effect.map(temporary, (directory) => layerDirectoryFileContents(join(directory, "files"))))
)
fileContentsSuite(
  "S3",
  Layer.effect(
    FileContents,
    Effect.map(startObjectStorage, ({ endpoint }) => s3(endpoint))
  )
)

type Contents = (typeof FileContents)["Service"]

const one = Stream.succeed(new Uint8Array([1]))

const scoped = <A>(effect: Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect))

const assertUnavailable = (exit: Exit.Exit<unknown, unknown>) => {
  assert.isTrue(Exit.isFailure(exit))
  const defect = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
  assert.instanceOf(defect, FileStorageUnavailable)
}

describe("a directory of contents", () => {
  const opened = Effect.fnUntraced(function* (directory: string) {
    return yield* Effect.map(Layer.build(layerDirectoryFileContents(directory)), (context) =>
      // Its only service.
      Effect.provideContext(FileContents, context)
    ).pipe(Effect.flatten)
  })

  it("is its owner's alone", () =>
    scoped(
      Effect.gen(function* () {
        const directory = join(yield* temporary, "files")
        const contents = yield* opened(directory)
        yield* contents.put("gw_file_1", one)
        const [folder, file] = yield* Effect.promise(() =>
          Promise.all([stat(directory), stat(join(directory, "gw_file_1"))])
        )
        assert.strictEqual(folder.mode & 0o777, 0o700)
        assert.strictEqual(file.mode & 0o777, 0o600)
      })
    ))

  it("holds nothing of a content that breaks off", () =>
    scoped(
      Effect.gen(function* () {
        const directory = join(yield* temporary, "files")
        const contents = yield* opened(directory)
        yield* Effect.flip(contents.put("gw_file_1", Stream.concat(one, Stream.fail("broken"))))
        assert.deepEqual(yield* Effect.promise(() => readdir(directory)), [])
      })
    ))

  it("never takes an id for a path", () =>
    scoped(
      Effect.gen(function* () {
        const parent = yield* temporary
        const contents = yield* opened(join(parent, "files"))
        yield* Effect.promise(() => writeFile(join(parent, "secret"), "x"))
        for (const id of ["../secret", "..", ".", "", "a/b", "/etc/passwd", "a\u0000", "x".repeat(256), "gw.file"]) {
          assertUnavailable(yield* Effect.exit(contents.put(id, one)))
          assertUnavailable(yield* Effect.exit(contents.get(id)))
          assertUnavailable(yield* Effect.exit(contents.remove(id)))
        }
        assert.isTrue(existsSync(join(parent, "secret")))
        assert.deepEqual(yield* Effect.promise(() => readdir(join(parent, "files"))), [])
      })
    ))

  it("frees itself of what a process left that died while it wrote", () =>
    scoped(
      Effect.gen(function* () {
        const directory = join(yield* temporary, "files")
        yield* Effect.promise(async () => {
          await mkdir(directory)
          await writeFile(join(directory, "gw_file_1.0123456789abcdef"), "half")
          await writeFile(join(directory, "gw_file_2"), "whole")
        })
        const contents = yield* opened(directory)
        assert.deepEqual(yield* Effect.promise(() => readdir(directory)), ["gw_file_2"])
        assert.isTrue(Option.isSome(yield* contents.get("gw_file_2")))
      })
    ))

  it("a place that cannot be written is unavailable, and what was there stays", () =>
    scoped(
      Effect.gen(function* () {
        const directory = join(yield* temporary, "files")
        const contents = yield* opened(directory)
        yield* contents.put("gw_file_1", one)
        // A directory in place of a file: nobody, root included, can write it.
        yield* Effect.promise(() => mkdir(join(directory, "gw_file_2")))
        assertUnavailable(yield* Effect.exit(contents.put("gw_file_2", one)))
        assertUnavailable(yield* Effect.exit(contents.get("gw_file_2")))
        assert.isTrue(Option.isSome(yield* contents.get("gw_file_1")))
      })
    ))
})

describe("a bucket of contents", () => {
  it("names objects by prefix and id", () =>
    scoped(
      Effect.gen(function* () {
        const { endpoint, objects } = yield* startObjectStorage
        yield* s3(`${endpoint}/`).put("gw_file_1", one)
        yield* s3(endpoint, { prefix: "a b/ü/" }).put("gw_file_2", one)
        assert.deepEqual([...objects.keys()], ["files/gw_file_1", "a b/ü/gw_file_2"])
      })
    ))

  it("is unavailable when it refuses, fails, redirects or hangs up", () =>
    scoped(
      Effect.gen(function* () {
        const { endpoint, answerWith } = yield* startObjectStorage
        const contents = s3(endpoint)
        for (const fault of [403, 500, 503, 307, "hang up"] as const) {
          answerWith(fault)
          assertUnavailable(yield* Effect.exit(contents.put("gw_file_1", one)))
          assertUnavailable(yield* Effect.exit(contents.get("gw_file_1")))
          assertUnavailable(yield* Effect.exit(contents.remove("gw_file_1")))
        }
        answerWith(undefined)
        assertUnavailable(
          yield* Effect.exit(s3(endpoint, { secretAccessKey: Redacted.make("another") }).get("gw_file_1"))
        )
        assertUnavailable(yield* Effect.exit(s3("http://127.0.0.1:1").get("gw_file_1")))
        assertUnavailable(yield* Effect.exit(contents.put("../gw_file_1", one)))
      })
    ))
})

describe("an error of a bucket that has no end", () => {
  for (const [method, ask] of Object.entries({
    get: (contents: Contents) => Effect.scoped(contents.get("gw_file_1")),
    remove: (contents: Contents) => contents.remove("gw_file_1"),
    put: (contents: Contents) => contents.put("gw_file_1", one)
  }))
    it(`is not read on by ${method}`, () =>
      scoped(
        Effect.gen(function* () {
          const { endpoint, answerWith, endlessBytes } = yield* startObjectStorage
          answerWith("endless")
          assertUnavailable(yield* Effect.exit<unknown, unknown, never>(ask(s3(endpoint))))
          // What the connection holds on its way is sent, too.
          assert.isBelow(endlessBytes(), 30_000_000)
        })
      ))
})

describe("an upload whose outcome the storage does not tell", () => {
  it("is hidden, and removed after an hour, though it arrived after it was to be removed", async () => {
    const found = new Set<string>()
    let isSilent = true
    // As a bucket that writes an object after its client has given up, and got the removal before.
    const late = FileContents.of({
      put: (id, content) =>
        Effect.andThen(
          Effect.orDie(Stream.runDrain(content)),
          isSilent ? Effect.die(new FileStorageUnavailable({})) : Effect.sync(() => void found.add(id))
        ),
      get: () => Effect.succeed(Option.none()),
      remove: (id) => Effect.sync(() => void found.delete(id))
    })
    const reserved: string[] = []
    const storing = FileContents.of({ ...late, put: (id, content) => (reserved.push(id), late.put(id, content)) })
    const installation = await Installation.start({
      store: Layer.merge(layerMemory, Layer.succeed(FileContents, storing)),
      door: fetchDoor
    })
    try {
      const world = await installation.newWorld()
      const upload = () => world.call("uploadFile", { body: formOf("a.txt", "x") })
      assert.strictEqual((await upload()).status, 503)
      const [id = ""] = reserved
      found.add(id)
      isSilent = false
      assert.strictEqual((await world.call("getFile", { params: { file_id: id } })).status, 404)
      installation.clock.now += 3_600_001
      assert.strictEqual((await upload()).status, 200)
      await installation.run(sweepStaleFiles)
      assert.isFalse(found.has(id))
      assert.strictEqual(found.size, 1)
    } finally {
      await installation.stop()
    }
  })
})
