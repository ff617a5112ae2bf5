/** Runs one command line and returns its exit code. Errors go to stderr, one line each, without secrets. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { exitCode, type ExitCode, faults } from "../failure/exitCode.ts"
import { version } from "../platform/version.ts"
import { CommandLine, type CommandLineShape } from "../control/CommandLine.ts"
import { gatewarden } from "./commands.ts"
import { explainFailure } from "./explainFailure.ts"

export const runCommandLine = Effect.fnUntraced(function* (io: CommandLineShape) {
  const say = (line: string) => io.stderr.write(`gatewarden: ${line}\n`)
  const presenter: CliOutput.Presenter = {
    present: (event) => {
      if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
      return Effect.sync(() => {
        for (const error of event.errors) say(error.message)
        say(`see ${event.commandPath.join(" ")} --help`)
      })
    }
  }
  const exit = yield* Command.runWith(gatewarden, { version })(asFlag(io.args)).pipe(
    Effect.provideService(CommandLine, io),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    ),
    Effect.provide(NodeServices.layer),
    Effect.exit
  )
  return Exit.isSuccess(exit) ? exitCode.ok : explain(exit.cause, say)
})

/**
 * Turns `gatewarden help keys create` into `gatewarden keys create --help`. It adds no `--help` if there is no such command, so that the
 * command is refused; with `--help`, the help of the command before it would be printed.
 */
const asFlag = ([first, ...rest]: readonly string[]): readonly string[] => {
  if (first !== "help") return first === undefined ? [] : [first, ...rest]
  const unknown = firstUnknown(gatewarden, rest)
  return unknown === undefined ? [...rest, "--help"] : rest.slice(0, unknown + 1)
}

/** The index of the first word that is not a subcommand of the word before it. */
const firstUnknown = (command: Command.Command.Any, words: readonly string[], at = 0): number | undefined => {
  const word = words[at]
  const all = command.subcommands.flatMap(({ commands }) => commands)
  if (word === undefined || all.length === 0) return undefined
  const next = all.find(({ name }) => name === word)
  return next === undefined ? at : firstUnknown(next, words, at + 1)
}

const explain = (cause: Cause.Cause<unknown>, say: (line: string) => void): ExitCode => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  if (CliError.isCliError(error))
    return error._tag === "ShowHelp" && error.errors.length === 0 ? exitCode.ok : faults.usage.code
  return explainFailure(cause, say)
}
