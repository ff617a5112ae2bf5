/** `gatewarden doctor`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { examine } from "../doctor/examine.ts"
import { exitCode } from "../exitCode.ts"
import { failed } from "../Failed.ts"
import { columns } from "./columns.ts"
import { CommandLine, print, printJson } from "./CommandLine.ts"
import { json } from "./flags.ts"

export const doctor = Command.make("doctor", { json }, ({ json }) =>
  Effect.gen(function* () {
    const findings = yield* examine((yield* CommandLine).environment)
    const bad = findings.filter(({ state }) => state === "fail").length
    if (json) yield* printJson({ ok: bad === 0, findings })
    else {
      yield* print(columns(findings.map(({ state, check, detail }) => [state, check, detail])))
      for (const { check, mend } of findings) if (mend !== null) yield* print(`${check}: ${mend}`)
    }
    if (bad > 0)
      return yield* failed(exitCode.failure, `${bad} ${bad === 1 ? "check" : "checks"} failed; stdout says what to do`)
  })
).pipe(
  Command.withDescription("Check this installation, and print what is wrong and how to fix it. Changes nothing."),
  Command.withExamples([
    { command: "gatewarden doctor", description: "Print findings, each with the command that fixes it" },
    { command: "gatewarden doctor --json", description: "Check from a script; exit code 1 when something fails" }
  ])
)
