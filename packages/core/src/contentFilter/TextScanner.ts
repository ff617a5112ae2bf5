/**
 * Where texts are looked through. By default in this thread, in slices that give way to whatever else waits; a platform with
 * threads sends what is long, or slow to match, to another one.
 *
 * What holds: between two slices at most one step runs, which is one match of one expression. For builtins it is bounded; for a
 * custom pattern it is linear in the text, so that without threads a pattern over a very long text may take more than a slice.
 */
import { Clock, Context, Effect } from "effect"
import { PatternEngine, type PatternEngineFunctions } from "./PatternEngine.ts"
import type { ScanJob, ScanResult } from "./ScanJob.ts"
import { compiledPattern, scanTexts } from "./scanTexts.ts"

export interface TextScannerFunctions {
  readonly scan: (job: ScanJob) => Effect.Effect<ScanResult>
}

const sliceMillis = 8

/** Lets timers, sockets and other requests have their turn. */
const giveWay = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))

export const scanInSlices = Effect.fnUntraced(function* (job: ScanJob) {
  const engine = yield* PatternEngine
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const steps = scanTexts(job, engine, now)
  let pause = now() + sliceMillis
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (now() < pause) continue
    yield* giveWay
    pause = now() + sliceMillis
  }
})

/** Instructions times characters: an upper bound of what one step of the job can take. */
export const workOf = ({ sought, texts }: ScanJob, engine: PatternEngineFunctions): number => {
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  return sought.reduce(
    (work, one) => work + characters * (one.kind === "pattern" ? compiledPattern(engine, one.pattern).size : 1),
    0
  )
}

export const TextScanner = Context.Reference<TextScannerFunctions>("gatewarden/TextScanner", {
  defaultValue: () => ({ scan: scanInSlices })
})
