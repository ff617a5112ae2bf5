import { Effect } from "effect"
import { failed } from "../failure/Failed.ts"
import { CommandLine } from "../control/CommandLine.ts"

/** Interrupts long work when the process gets a stop signal, so that its finalizers run. */
export const untilStopped = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CommandLine, ({ stopped }) =>
    Effect.raceFirst(
      work,
      Effect.andThen(stopped, Effect.fail(failed("interrupted", "Interrupted; run the same command again")))
    )
  )
