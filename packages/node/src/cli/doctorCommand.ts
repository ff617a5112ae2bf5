/** `gatewarden doctor`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { examine } from "../doctor/examine.ts"
import { Failed } from "../failure/Failed.ts"
import { columns } from "./columns.ts"
import { CommandLine, print, printJson } from "../control/CommandLine.ts"
import { json } from "./flags.ts"

export const doctor = Command.make("doctor", { json }, ({ json }) =>
  Effect.gen(function* () {
    const findings = yield* examine((yield* CommandLine).environment)
    const bad = findings.filter(({ state }) => state === "fail").length
    const first = findings.find(({ exit_code }) => exit_code !== null)?.exit_code
    if (json) yield* printJson({ ok: bad === 0, findings })
    else {
      yield* print(columns(findings.map(({ state, check, detail }) => [state, check, detail])))
      for (const { check, mend } of findings) if (mend !== null) yield* print(`${check}: ${mend}`)
    }
    if (first != null)
      return yield* new Failed({
        exitCode: first,
        lines: [`${bad} ${bad === 1 ? "check" : "checks"} failed; stdout says what to do`]
      })
  })
).pipe(
  Command.withDescription(
    "Check this installation, and print what is wrong and how to fix it. Changes nothing. The exit code is the one of the first check that fails."
  ),
  Command.withExamples([
    { command: "gatewarden doctor", description: "Print findings, each with the command that fixes it" },
    { command: "gatewarden doctor --json", description: "Check from a script; exit code 0 when nothing fails" }
  ])
)
