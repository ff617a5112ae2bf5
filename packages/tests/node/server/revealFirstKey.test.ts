import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { revealFirstKey } from "../../../node/src/store/revealFirstKey.ts"
import { modeOf, temporaryDirectory } from "../../cli/gatewarden.ts"

const key = Redacted.make("gwm-v1-the-key")

const screen = (isTTY: boolean) => {
  let text = ""
  return { isTTY, write: (part: string | Uint8Array) => ((text += String(part)), true), text: () => text }
}

describe("revealFirstKey", () => {
  for (const isTTY of [true, false])
    it.live(`writes the key for its owner alone, ${isTTY ? "on a terminal" : "elsewhere"}`, () =>
      Effect.gen(function* () {
        const directory = join(yield* temporaryDirectory, "made")
        const path = join(directory, "management-key")
        const stderr = screen(isTTY)
        yield* revealFirstKey(key, directory, stderr)
        assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "gwm-v1-the-key\n")
        assert.strictEqual(yield* Effect.promise(() => modeOf(path)), "600")
        assert.include(stderr.text(), path)
        assert.notInclude(stderr.text(), "gwm-v1")
      })
    )

  it.live("takes the place of a key of an earlier store", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "management-key")
      yield* Effect.promise(() => writeFile(path, "old"))
      const stderr = screen(false)
      yield* revealFirstKey(key, directory, stderr)
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "gwm-v1-the-key\n")
      assert.include(stderr.text(), path)
      assert.notInclude(stderr.text(), "gwm-v1")
    })
  )

  it.live("loses no key when it cannot be written", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(() => writeFile(join(directory, "file"), ""))
      const stderr = screen(false)
      yield* revealFirstKey(key, join(directory, "file"), stderr)
      assert.include(stderr.text(), "gwm-v1-the-key")
    })
  )

  it.live("says nothing when there is none", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const stderr = screen(false)
      yield* revealFirstKey(undefined, directory, stderr)
      assert.strictEqual(stderr.text(), "")
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), [])
    })
  )
})
