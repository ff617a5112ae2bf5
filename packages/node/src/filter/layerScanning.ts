/**
 * Content filters on Node: the native engine where it is installed, and threads for what is long or slow to match.
 *
 * What a request of ordinary size needs is done at once: on the way to a thread it would wait longer.
 */
import { PatternEngine, scanInSlices, TextScanner, isMoreWork, WorkingAccount } from "@gatewarden/core/internal"
import { re2EngineOf, re2jsEngine, type ScanJob } from "@gatewarden/core/internal/scanning"
import { Effect, Layer } from "effect"
import { findRe2, type FoundRe2 } from "./findRe2.ts"
import { makeScanThreads } from "./ScanThreads.ts"

/** What may be done without leaving the thread, in milliseconds at the engine's pace. */
const atOnceMillis = 5

export const layerScanningWith = (found: FoundRe2 | undefined): Layer.Layer<never> => {
  const engine = found === undefined ? re2jsEngine : re2EngineOf(found.RE2)
  const scanner = Effect.gen(function* () {
    const threads = yield* Effect.acquireRelease(
      Effect.sync(() => makeScanThreads({ re2: found?.path })),
      ({ close }) => Effect.promise(close)
    )
    return {
      scan: Effect.fnUntraced(function* (job: ScanJob) {
        if (!isMoreWork(job, engine.pace * atOnceMillis)) return yield* scanInSlices(job)
        const account_id = yield* WorkingAccount
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        const result = yield* Effect.promise(() => threads.scan(job, account_id, run))
        // A match of the native engine cannot be left before its end.
        return result ?? (yield* Effect.provideService(scanInSlices(job), PatternEngine, re2jsEngine))
      })
    }
  })
  return Layer.mergeAll(Layer.succeed(PatternEngine, engine), Layer.effect(TextScanner, scanner))
}

export const layerScanning: Layer.Layer<never> = Layer.suspend(() => layerScanningWith(findRe2()))
