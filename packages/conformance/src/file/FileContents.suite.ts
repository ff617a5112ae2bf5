/** What any storage of file contents promises. */
import { FileContents } from "@gatewarden/core/store"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Scope, Stream } from "effect"
import { requireLayer } from "../stores/storeUnderTest.ts"

const bytes = (size: number, seed = 1): Uint8Array => {
  const made = new Uint8Array(size)
  let state = seed
  // A loop: `Uint8Array.from` with a function takes many times as long for millions of bytes.
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    made[index] = state >>> 24
  }
  return made
}

type Contents = (typeof FileContents)["Service"]

/** Puts bytes in chunks of a size. */
const put = (contents: Contents, id: string, content: Uint8Array, chunk = 50_000) =>
  contents.put(
    id,
    Stream.map(Stream.range(0, Math.ceil(content.length / chunk) - 1), (index) =>
      content.subarray(index * chunk, (index + 1) * chunk)
    )
  )

/** All of a content, undefined where there is none. */
const read = Effect.fnUntraced(function* (contents: Contents, id: string) {
  const content = Option.getOrUndefined(yield* contents.get(id))
  return content && new Uint8Array(Buffer.concat(yield* Stream.runCollect(content)))
}, Effect.scoped)

const isSame = (found: Uint8Array | undefined, expected: Uint8Array): boolean =>
  found !== undefined && Buffer.compare(found, expected) === 0

export const fileContentsSuite = (name: string, layer: Layer.Layer<FileContents, unknown>): void => {
  requireLayer(layer)
  describe(`file contents: ${name}`, () => {
    let opened: Context.Context<FileContents>
    const scope = Scope.makeUnsafe()
    beforeAll(async () => {
      opened = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const run = <A>(use: (contents: Contents) => Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
      Effect.runPromise(Effect.scoped(use(Context.get(opened, FileContents))))

    it("gives back what was put, of any size", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          for (const size of [1, 2, 65_536, 262_143, 262_144, 262_145, 3_000_000])
            for (const chunk of [7919, 262_144, 5_000_000]) {
              const id = `gw_file_size${size}`
              yield* put(contents, id, bytes(size, size), chunk)
              assert.isTrue(isSame(yield* read(contents, id), bytes(size, size)), `${size} in chunks of ${chunk}`)
            }
        })
      ))

    it("takes a part of a larger buffer for what it is", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          const whole = bytes(100)
          yield* contents.put("gw_file_part", Stream.succeed(whole.subarray(10, 20)))
          whole.fill(0)
          assert.isTrue(isSame(yield* read(contents, "gw_file_part"), bytes(100).subarray(10, 20)))
        })
      ))

    it("puts a content in place of another, shorter or longer", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          for (const size of [2_500_000, 10, 1_500_000]) {
            yield* put(contents, "gw_file_again", bytes(size))
            assert.strictEqual((yield* read(contents, "gw_file_again"))?.length, size)
          }
        })
      ))

    it("has nothing under another id, of another case, or after it was removed", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          yield* put(contents, "gw_file_Aa", bytes(5))
          assert.isTrue(Option.isNone(yield* contents.get("gw_file_aA")))
          assert.isTrue(Option.isNone(yield* contents.get("gw_file_A")))
          yield* contents.remove("gw_file_aA")
          assert.isTrue(Option.isSome(yield* contents.get("gw_file_Aa")))
          yield* contents.remove("gw_file_Aa")
          assert.isTrue(Option.isNone(yield* contents.get("gw_file_Aa")))
          yield* contents.remove("gw_file_Aa")
        })
      ))

    it("has nothing of a content that breaks off, or is given up", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          const begun = Stream.succeed(bytes(700_000))
          const broken = yield* Effect.flip(
            contents.put("gw_file_broken", Stream.concat(begun, Stream.fail("broken" as const)))
          )
          assert.strictEqual(broken, "broken")
          assert.isUndefined(yield* read(contents, "gw_file_broken"))
          const isWaiting = yield* Deferred.make<void>()
          const waiting = Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(isWaiting, undefined), Effect.never))
          const putting = yield* Effect.forkChild(contents.put("gw_file_given_up", Stream.concat(begun, waiting)))
          yield* Deferred.await(isWaiting)
          yield* Fiber.interrupt(putting)
          assert.isUndefined(yield* read(contents, "gw_file_given_up"))
        })
      ))

    it("keeps many at once apart", () =>
      run(
        Effect.fnUntraced(function* (contents) {
          const ids = Array.from({ length: 12 }, (_, index) => `gw_file_many${index}`)
          yield* Effect.all(
            ids.map((id, index) => put(contents, id, bytes(100_000, index))),
            { concurrency: "unbounded" }
          )
          for (const [index, id] of ids.entries())
            assert.isTrue(isSame(yield* read(contents, id), bytes(100_000, index)))
          yield* Effect.all(ids.map(contents.remove), { concurrency: "unbounded" })
        })
      ))
  })
}
