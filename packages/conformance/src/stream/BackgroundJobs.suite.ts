/** Holds a store to what background work needs of its leases: one holder at a time, taken over when the lease has ended, fenced. */
import { BackgroundJobs, type JobTurn, type StorePorts } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Option } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const start = Date.parse("2026-03-04T12:00:00.000Z")

const claimed = (jobs: readonly string[]) =>
  Effect.flatMap(BackgroundJobs, (port) =>
    Effect.flatMap(port.claim(jobs, 3), (answer) =>
      answer.turn === undefined
        ? Effect.die(new Error(`free in ${answer.wait_millis} ms`))
        : Effect.succeed(answer.turn)
    )
  )

const wait = (jobs: readonly string[]) =>
  Effect.flatMap(BackgroundJobs, (port) =>
    Effect.map(port.claim(jobs, 3), (answer) => (answer.turn === undefined ? answer.wait_millis : answer.turn.job))
  )

const move = (turn: JobTurn, position: string) =>
  Effect.flatMap(BackgroundJobs, (port) => port.commit(turn, (before) => Effect.succeed({ value: before, position })))

const stateOf = (job: string) =>
  Effect.flatMap(BackgroundJobs, (port) =>
    Effect.map(port.states, ({ jobs }) => jobs.find((state) => state.job === job))
  )

export const backgroundJobsSuite = (
  name: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  { transactional }: { readonly transactional: boolean }
): void => {
  describe(`background jobs: ${name}`, () => {
    const clock = { now: start }
    const run = storeUnderTest(makeStore, clock)
    let count = 0
    const test = (title: string, body: (job: string) => Effect.Effect<void, unknown, StorePorts>) =>
      it(title, () => run(Effect.suspend(() => body(`job ${++count}`))))

    test("gives a job to one holder until it is finished, and then when it is due again", (job) =>
      Effect.gen(function* () {
        const port = yield* BackgroundJobs
        const turn = yield* claimed([job])
        assert.strictEqual(turn.failures, 0)
        assert.strictEqual(yield* wait([job]), 3_000)
        assert.isTrue(yield* port.finish(turn, { failed: false, due_in_seconds: 60 }))
        assert.isFalse(yield* port.finish(turn, { failed: false, due_in_seconds: 0 }))
        assert.strictEqual(yield* wait([job]), 60_000)
        clock.now += 60_000
        assert.isAbove((yield* claimed([job])).token, turn.token)
      }))

    test("claims the job that is due for the longest time, and other jobs beside one that is held", (job) =>
      Effect.gen(function* () {
        const port = yield* BackgroundJobs
        const [one, other] = [`${job} a`, `${job} b`]
        yield* port.finish(yield* claimed([one]), { failed: false, due_in_seconds: 2 })
        yield* port.finish(yield* claimed([other]), { failed: false, due_in_seconds: 1 })
        clock.now += 5_000
        assert.strictEqual(yield* wait([one, other]), other)
        assert.strictEqual(yield* wait([one, other]), one)
        assert.strictEqual(yield* wait([one, other]), 3_000)
      }))

    test("lets another holder take a job over once the lease has ended, and fences the one before", (job) =>
      Effect.gen(function* () {
        const port = yield* BackgroundJobs
        const lost = yield* claimed([job])
        clock.now += 2_000
        assert.isTrue(yield* port.renew(lost, 3))
        clock.now += 2_999
        assert.strictEqual(yield* wait([job]), 1)
        clock.now += 1
        const turn = yield* claimed([job])
        assert.isFalse(yield* port.renew(lost, 3))
        assert.isFalse(yield* port.finish(lost, { failed: false, due_in_seconds: 60 }))
        let worked = false
        const work = Effect.sync(() => ({ value: (worked = true), position: "lost" }))
        assert.isTrue(Option.isNone(yield* port.commit(lost, () => work)))
        assert.isFalse(worked)
        assert.deepEqual(yield* move(turn, "1"), Option.some(null))
      }))

    test("moves a position with the work, for the next holder too", (job) =>
      Effect.gen(function* () {
        const port = yield* BackgroundJobs
        const turn = yield* claimed([job])
        yield* move(turn, "1")
        assert.deepEqual(yield* move(turn, "2"), Option.some("1"))
        yield* port.finish(turn, { failed: false, due_in_seconds: 0 })
        assert.deepEqual(yield* move(yield* claimed([job]), "3"), Option.some("2"))
        assert.strictEqual((yield* stateOf(job))?.position, "3")
      }))

    test("keeps nothing of work that fails", (job) =>
      Effect.gen(function* () {
        const port = yield* BackgroundJobs
        const turn = yield* claimed([job])
        const other = `${job} made within`
        const work = Effect.andThen(port.claim([other], 3), Effect.fail("failed" as const))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(port.commit(turn, () => work))))
        if (transactional) assert.isUndefined(yield* stateOf(other))
        assert.deepEqual(yield* move(turn, "1"), Option.some(null))
      }))

    test("counts failures until a run succeeds", (job) =>
      Effect.gen(function* () {
        const port = yield* BackgroundJobs
        for (const failures of [0, 1, 2]) {
          const turn = yield* claimed([job])
          assert.strictEqual(turn.failures, failures)
          yield* port.finish(turn, { failed: true, due_in_seconds: 0 })
        }
        assert.strictEqual((yield* stateOf(job))?.succeeded_at, null)
        yield* port.finish(yield* claimed([job]), { failed: false, due_in_seconds: 7 })
        const state = yield* stateOf(job)
        assert.deepInclude(state, {
          failures: 0,
          began_at: clock.now,
          succeeded_at: clock.now,
          due_at: clock.now + 7_000,
          lease_until: null
        })
      }))
  })
}
