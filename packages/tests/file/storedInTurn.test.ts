/** Pieces of uploads take the loop and a connection each: those of one account wait for each other. Rule: requests#bodies-in-flight. */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { formOf } from "@gatewarden/conformance/internal/file/fileBytes"
import { FileContents } from "@gatewarden/core/store"
import { layerMemory } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"

describe("uploads of one account", () => {
  it("have two pieces stored at once, and those of others beside them", async () => {
    const stored = { now: 0, most: 0, pieces: 0 }
    const storing = FileContents.of({
      put: (_, content) =>
        Stream.runForEach(content, () =>
          Effect.gen(function* () {
            stored.most = Math.max(stored.most, ++stored.now)
            stored.pieces++
            for (let turns = 0; turns < 20; turns++) yield* Effect.yieldNow
            stored.now--
          })
        ),
      get: () => Effect.succeed(Option.none()),
      remove: () => Effect.void
    })
    const installation = await Installation.start({
      store: Layer.merge(layerMemory, Layer.succeed(FileContents, storing)),
      door: fetchDoor
    })
    try {
      const worlds = [await installation.newWorld(), await installation.newWorld(), await installation.newWorld()]
      const upload = async (place: number) => {
        const answer = await worlds[place]?.call("uploadFile", { body: formOf("a.txt", "x".repeat(600_000)) })
        assert.strictEqual(answer?.status, 200, answer?.text)
      }
      await Promise.all(Array.from({ length: 6 }, () => upload(0)))
      assert.deepEqual(stored, { now: 0, most: 2, pieces: 18 })
      await Promise.all(Array.from({ length: 6 }, (_, index) => upload(index % 3)))
      assert.isAbove(stored.most, 2)
    } finally {
      await installation.stop()
    }
  })
})
