/** The inputs of a command line: its arguments, the environment and the standard streams. */
import { Context, Effect } from "effect"
import { readFileSync } from "node:fs"
import type { Environment } from "../config/Environment.ts"
import { type Configuration, readConfiguration } from "../config/readConfiguration.ts"
import { failed } from "../failure/Failed.ts"

export interface CommandLineShape {
  readonly args: readonly string[]
  readonly environment: Environment
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly stdout: Pick<NodeJS.WriteStream, "write"> & {
    readonly isTTY?: boolean | undefined
    /** Of a terminal. */
    readonly columns?: number | undefined
  }
  readonly stderr: Pick<NodeJS.WriteStream, "isTTY" | "write"> & {
    /** Of a terminal. */
    readonly columns?: number | undefined
  }
  /** Completes when the process is told to stop. */
  readonly stopped: Effect.Effect<void>
  /** Exits the process at once if it still runs after this time. */
  readonly exitWithin: (millis: number) => void
}

export class CommandLine extends Context.Service<CommandLine, CommandLineShape>()("gatewarden/CommandLine") {}

/** The configuration, or everything that is wrong with it. Warnings go to stderr. */
export const configured = Effect.gen(function* () {
  const { environment, stderr } = yield* CommandLine
  const result = readConfiguration({ environment, readFile: (path) => readFileSync(path, "utf8") })
  if ("errors" in result) return yield* failed("configuration", ...result.errors)
  for (const warning of result.configuration.warnings) stderr.write(`gatewarden: warning: ${warning}\n`)
  return result.configuration satisfies Configuration
})

/** One line of result for a human or a script. */
export const print = (text: string) => Effect.map(CommandLine, ({ stdout }) => void stdout.write(`${text}\n`))

/** JSON escapes the control characters of ASCII only; a terminal also obeys the others. */
export const printJson = (value: unknown) =>
  print(
    JSON.stringify(value, null, 2).replace(
      /[\u007f-\u009f]/g,
      (control) => `\\u00${control.charCodeAt(0).toString(16)}`
    )
  )
