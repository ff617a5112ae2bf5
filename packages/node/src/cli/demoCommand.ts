/** `gatewarden demo`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { runDemo } from "../demo/runDemo.ts"
import type { ScreenOptions } from "../demo/Screen.ts"
import { verdict } from "../demo/verdict.ts"
import { failed } from "../failure/Failed.ts"
import { CommandLine, print, printJson } from "../control/CommandLine.ts"
import { json } from "./flags.ts"

/** An error is a failure of the demonstration and is printed in full, because the demonstration has no user data. */
const play = (options: ScreenOptions) =>
  Effect.tryPromise({
    try: () => runDemo(options),
    catch: (cause) =>
      failed("failure", `The demonstration failed: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

/** Widths in columns: of an output that is not a terminal, the minimum for a layout, and the maximum for readable lines. */
const usual = 80
const narrowest = 40
const widest = 120

export const demo = Command.make("demo", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { stdout, environment, stopped } = yield* CommandLine
    const live = stdout.isTTY === true
    const screen: ScreenOptions = {
      write: json ? () => {} : (text) => void stdout.write(text),
      // no-color.org: any value but the empty one.
      color: live && !environment["NO_COLOR"] && environment["TERM"] !== "dumb",
      live,
      width: Math.min(Math.max(stdout.columns ?? usual, narrowest), widest)
    }
    const told = Effect.flatMap(stopped, () => Effect.fail(failed("interrupted", "Stopped")))
    const performance = yield* Effect.raceFirst(play(screen), told)
    const ok = performance.claims.every(({ holds }) => holds)
    if (json) yield* printJson({ ok, ...performance })
    else yield* print(`\n${verdict(performance)}`)
    if (!ok) return yield* failed("failure", "A claim of the demonstration does not hold; stdout names it")
  })
).pipe(
  Command.withDescription(
    "Run a demonstration that checks its own claims: budgets, reasons, redaction, embedding. It needs no keys and stores nothing."
  ),
  Command.withExamples([
    { command: "gatewarden demo", description: "Run it; it takes a minute" },
    { command: "gatewarden demo --json", description: "Print each claim and whether it holds, for a script" }
  ])
)
