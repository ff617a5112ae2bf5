/** Holds a store to its list of running processes: announced, extended, withdrawn, ended by the clock. */
import { Processes, type StorePorts } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type HandClock } from "../HandClock.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const processOf = (id: string, ...key_ids: readonly string[]) => ({ id, host: `host-${id}`, pid: 7, key_ids })

export const processesSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`Processes: ${name}`, () => {
    const clock: HandClock = { now: Date.parse("2026-03-04T12:00:00.000Z") }
    const run = storeUnderTest(makeStore, clock)
    const turn = (seconds: number): void => void (clock.now += seconds * 1_000)

    it("lists processes that run, with the ids of their keys, until they end", () =>
      run(
        Effect.gen(function* () {
          const processes = yield* Processes
          const ids = Effect.map(processes.running, (running) => running.map(({ id }) => id))
          yield* processes.announce(processOf("a", "k2", "k1"), 60)
          turn(30)
          yield* processes.announce({ ...processOf("b", "k1"), host: "", pid: null }, 60)
          assert.deepStrictEqual(yield* processes.running, [
            { ...processOf("a", "k2", "k1"), started_at: "2026-03-04T12:00:00.000Z" },
            { ...processOf("b", "k1"), host: "", pid: null, started_at: "2026-03-04T12:00:30.000Z" }
          ])
          yield* processes.announce(processOf("a", "k2", "k1"), 60)
          turn(59)
          assert.deepStrictEqual(yield* ids, ["a", "b"])
          yield* processes.announce(processOf("b", "k1"), 60)
          turn(1)
          assert.deepStrictEqual(yield* ids, ["b"])
          yield* processes.withdraw("b")
          yield* processes.withdraw("b")
          assert.deepStrictEqual(yield* ids, [])
        })
      ))
  })
}
