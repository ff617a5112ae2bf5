/** `gatewarden demo`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { runDemo } from "../demo/runDemo.ts"
import { verdict } from "../demo/verdict.ts"
import { exitCode } from "../exitCode.ts"
import { failed } from "../Failed.ts"
import { CommandLine, print, printJson } from "./CommandLine.ts"
import { json } from "./flags.ts"

/** What goes wrong while it runs is a failure of the demonstration, and may be told in full: nothing in it is anyone's. */
const play = (write: (text: string) => void, color: boolean) =>
  Effect.tryPromise({
    try: () => runDemo({ write, color }),
    catch: (cause) =>
      failed(exitCode.failure, `The demonstration broke off: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

export const demo = Command.make("demo", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { stdout, environment, stopped } = yield* CommandLine
    const color = stdout.isTTY === true && environment["NO_COLOR"] === undefined
    const told = Effect.flatMap(stopped, () => Effect.fail(failed(exitCode.failure, "Stopped")))
    const performance = yield* Effect.raceFirst(play(json ? () => {} : (text) => void stdout.write(text), color), told)
    const ok = performance.claims.every(({ holds }) => holds)
    if (json) yield* printJson({ ok, ...performance })
    else yield* print(`\n${verdict(performance)}`)
    if (!ok) return yield* failed(exitCode.failure, "The demonstration does not hold what it claims")
  })
).pipe(
  Command.withDescription(
    "Show and check what this does, in a minute: money, reasons, redaction, embedding. Needs no keys, keeps nothing."
  )
)
