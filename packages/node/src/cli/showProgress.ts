/** Progress of a long command: a line that changes in place on a terminal, otherwise a line every five seconds. */
import { Clock, Effect, Schedule } from "effect"
import { clearLine, cursorTo } from "node:readline"
import type { CommandLineShape } from "../control/CommandLine.ts"

export interface Progress {
  readonly rows: number
  readonly bytes: number
  /** `undefined` if the total is unknown. */
  readonly size: number | undefined
}

const lineEvery = "5 seconds"
const repaintEvery = "200 millis"

/** Shows the reported progress until the scope closes. Rate and remaining time are those of this run. */
export const showProgress = Effect.fnUntraced(function* (label: string, stderr: CommandLineShape["stderr"]) {
  const begun = yield* Clock.currentTimeMillis
  let first: Progress | undefined
  let last: Progress | undefined
  const isTerminal = stderr.isTTY === true
  const clear = () => {
    // The command line declares only the members of a stream that its commands use.
    const terminal = stderr as NodeJS.WriteStream
    cursorTo(terminal, 0)
    clearLine(terminal, 1)
  }
  const show = Effect.map(Clock.currentTimeMillis, (now) => {
    if (first === undefined || last === undefined) return
    const words = `gatewarden: ${describeProgress(label, first, last, (now - begun) / 1000)}`
    if (!isTerminal) return void stderr.write(`${words}\n`)
    clear()
    // A line that wraps cannot be cleared.
    stderr.write(words.slice(0, (stderr.columns ?? 80) - 1))
  })
  if (isTerminal) yield* Effect.addFinalizer(() => Effect.sync(clear))
  const every = isTerminal ? repaintEvery : lineEvery
  yield* Effect.forkScoped(Effect.delay(Effect.repeat(show, Schedule.spaced(every)), every))
  return (progress: Progress) => {
    first ??= progress
    last = progress
  }
})

const describeProgress = (label: string, first: Progress, last: Progress, seconds: number): string => {
  const rate = seconds === 0 ? 0 : (last.rows - first.rows) / seconds
  const bytesRate = seconds === 0 ? 0 : (last.bytes - first.bytes) / seconds
  const left = last.size === undefined || bytesRate === 0 ? undefined : (last.size - last.bytes) / bytesRate
  return [
    label,
    ...(last.size === undefined || last.size === 0 ? [] : [`${Math.floor((100 * last.bytes) / last.size)}%`]),
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
