/** Progress of a long command: a bar on a terminal, otherwise a line every five seconds. */
import cliProgress from "cli-progress"
import { Clock, Effect, Schedule } from "effect"
import type { CommandLineShape } from "../control/CommandLine.ts"

export interface Progress {
  readonly rows: number
  readonly bytes: number
  /** `undefined` if the total is unknown. */
  readonly size: number | undefined
}

const lineEvery = "5 seconds"

/** Shows the reported progress until the scope closes. Rate and remaining time are those of this run. */
export const showProgress = Effect.fnUntraced(function* (label: string, stderr: CommandLineShape["stderr"]) {
  const begun = yield* Clock.currentTimeMillis
  let first: Progress | undefined
  let last: Progress | undefined
  const words = (now: number) => describeProgress(label, first, last, (now - begun) / 1000)
  const note = (progress: Progress) => {
    first ??= progress
    last = progress
  }
  if (stderr.isTTY !== true) {
    const line = Effect.map(Clock.currentTimeMillis, (now) => {
      if (last !== undefined) stderr.write(`gatewarden: ${words(now)}\n`)
    })
    yield* Effect.forkScoped(Effect.delay(Effect.repeat(line, Schedule.spaced(lineEvery)), lineEvery))
    return note
  }
  const clock = yield* Clock.Clock
  const bar = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = new cliProgress.SingleBar({
        // A terminal is a stream, of which the command line says only as much as others need.
        stream: stderr as NodeJS.WriteStream,
        format: "[{bar}] {percentage}% {words}",
        barsize: 20,
        hideCursor: true,
        clearOnComplete: true
      })
      made.start(1, 0, { words: label })
      return made
    }),
    (made) => Effect.sync(() => made.stop())
  )
  return (progress: Progress) => {
    note(progress)
    if (progress.size !== undefined && progress.size > 0) bar.setTotal(progress.size)
    bar.update(progress.size === undefined ? 0 : progress.bytes, { words: words(clock.currentTimeMillisUnsafe()) })
  }
})

const describeProgress = (
  label: string,
  first: Progress | undefined,
  last: Progress | undefined,
  seconds: number
): string => {
  if (first === undefined || last === undefined) return label
  const rate = seconds === 0 ? 0 : (last.rows - first.rows) / seconds
  const bytesRate = seconds === 0 ? 0 : (last.bytes - first.bytes) / seconds
  const left = last.size === undefined || bytesRate === 0 ? undefined : (last.size - last.bytes) / bytesRate
  return [
    label,
    `${last.rows} rows`,
    `${Math.round(rate)} rows/s`,
    ...(left === undefined ? [] : [`${describeSeconds(left)} left`])
  ].join(", ")
}

/** `42 s`, `3 min`, `2 h 5 min`. */
const describeSeconds = (seconds: number): string => {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
