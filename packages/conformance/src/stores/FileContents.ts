/** What any storage of file contents promises. */
import { FileContents } from "@gatewarden/core/effect"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"

const bytes = (size: number, seed = 1): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length: size }, () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24)
}

export const fileContentsSuite = (name: string, layer: Layer.Layer<FileContents, unknown>): void => {
  describe(`file contents: ${name}`, () => {
    let opened: Context.Context<FileContents>
    const scope = Scope.makeUnsafe()
    beforeAll(async () => {
      opened = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const run = <A>(use: (contents: (typeof FileContents)["Service"]) => Effect.Effect<A>): Promise<A> =>
      Effect.runPromise(use(Context.get(opened, FileContents)))

    it("gives back what was put, of any size", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          for (const size of [1, 2, 65_536, 1_048_575, 1_048_576, 1_048_577, 3_000_000]) {
            const id = `gw_file_size${size}`
            yield* contents.put(id, bytes(size, size))
            const found = Option.getOrUndefined(yield* contents.get(id))
            assert.strictEqual(found?.length, size)
            assert.isTrue(found !== undefined && Buffer.compare(found, bytes(size, size)) === 0)
          }
        })
      ))

    it("takes a part of a larger buffer for what it is", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          const whole = bytes(100)
          yield* contents.put("gw_file_part", whole.subarray(10, 20))
          whole.fill(0)
          assert.deepEqual(Option.getOrThrow(yield* contents.get("gw_file_part")), bytes(100).subarray(10, 20))
        })
      ))

    it("puts a content in place of another, shorter or longer", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          for (const size of [2_500_000, 10, 1_500_000]) {
            yield* contents.put("gw_file_again", bytes(size))
            assert.strictEqual(Option.getOrThrow(yield* contents.get("gw_file_again")).length, size)
          }
        })
      ))

    it("has nothing under another id, of another case, or after it was removed", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          yield* contents.put("gw_file_Aa", bytes(5))
          assert.isTrue(Option.isNone(yield* contents.get("gw_file_aA")))
          assert.isTrue(Option.isNone(yield* contents.get("gw_file_A")))
          yield* contents.remove("gw_file_aA")
          assert.isTrue(Option.isSome(yield* contents.get("gw_file_Aa")))
          yield* contents.remove("gw_file_Aa")
          assert.isTrue(Option.isNone(yield* contents.get("gw_file_Aa")))
          yield* contents.remove("gw_file_Aa")
        })
      ))

    it("keeps many at once apart", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          const ids = Array.from({ length: 12 }, (_, index) => `gw_file_many${index}`)
          yield* Effect.all(
            ids.map((id, index) => contents.put(id, bytes(100_000, index))),
            { concurrency: "unbounded" }
          )
          for (const [index, id] of ids.entries())
            assert.isTrue(Buffer.compare(Option.getOrThrow(yield* contents.get(id)), bytes(100_000, index)) === 0)
          yield* Effect.all(ids.map(contents.remove), { concurrency: "unbounded" })
        })
      ))
  })
}
