import { Effect } from "effect"
import { exitCode } from "../exitCode.ts"
import { failed } from "../Failed.ts"
import { CommandLine } from "./CommandLine.ts"

/** Ends long work when the process is told to stop, so that it is undone in order. */
export const untilStopped = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CommandLine, ({ stopped }) =>
    Effect.raceFirst(
      work,
      Effect.andThen(stopped, Effect.fail(failed(exitCode.temporary, "Interrupted; run the same command again")))
    )
  )
