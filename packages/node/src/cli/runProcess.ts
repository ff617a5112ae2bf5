/** What every process of ours has around what it runs: signals, exit codes, and streams that nobody reads any more. */
import { Deferred, Effect } from "effect"
import { exitCode, type ExitCode } from "../failure/exitCode.ts"
import type { Failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import type { CommandLineShape } from "../control/CommandLine.ts"

const signals = { SIGINT: 2, SIGTERM: 15 } as const

/** A terminal sends Ctrl-C to npm and to its child, and npm passes it on: both copies are one signal. */
const copyWithinMillis = 250

/** Runs a program with the arguments and the environment of this process, and leaves its exit code to the process. */
export const runProcess = async (program: (io: CommandLineShape) => Effect.Effect<ExitCode>): Promise<void> => {
  const told = Deferred.makeUnsafe<void>()
  let toldAt: number | undefined

  for (const [name, number] of Object.entries(signals))
    process.on(name, () => {
      const now = performance.now()
      // The first signal stops the process in order, the second one at once.
      if (toldAt !== undefined && now - toldAt > copyWithinMillis) process.exit(128 + number)
      toldAt ??= now
      Effect.runSync(Deferred.succeed(told, undefined))
    })

  // Without these listeners a failed write ends the process with a stack trace, also when the reader of a server's log exits.
  let lost: Failed | undefined
  process.stderr.on("error", () => {})
  process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
    // The reader may have closed the pipe, as `head` does.
    if (cause.code === "EPIPE" || lost !== undefined) return
    lost = fileFailure("the result cannot be written", cause)
    process.stderr.write(`gatewarden: ${lost.message}\n`)
    process.exitCode = lost.exitCode
  })

  const ended = await Effect.runPromise(
    program({
      args: process.argv.slice(2),
      environment: process.env,
      // Reading `process.stdin` opens it, and a server does not need it.
      get stdin() {
        return process.stdin
      },
      stdout: process.stdout,
      stderr: process.stderr,
      stopped: Deferred.await(told),
      exitWithin: (millis) => void setTimeout(() => process.exit(exitCode.failure), millis).unref()
    })
  )
  process.exitCode = lost !== undefined && ended === exitCode.ok ? lost.exitCode : ended

  // A handle that is still open was forgotten and must not keep the process running.
  setTimeout(() => process.exit(), 2_000).unref()
}
