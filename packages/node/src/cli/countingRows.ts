import { Effect } from "effect"
import { CommandLine } from "../control/CommandLine.ts"
import { showProgress } from "./showProgress.ts"

export type Advance = (rows: number) => Effect.Effect<void>

/** Shows how many rows of a known number were dealt with, until the scope closes. */
export const countingRows = Effect.fnUntraced(function* (label: string, total: number) {
  const show = yield* showProgress(label, (yield* CommandLine).stderr)
  let done = 0
  const advance: Advance = (rows) =>
    Effect.sync(() => {
      done += rows
      show({ rows: done, bytes: done, size: total })
    })
  return advance
})
