/** The server as a process, without the commands beside it. */
import { Effect, Exit } from "effect"
import { exitCode } from "../failure/exitCode.ts"
import type { Added } from "../server/serve.ts"
import { CommandLine } from "../control/CommandLine.ts"
import { explainFailure } from "./explainFailure.ts"
import { runProcess } from "./runProcess.ts"
import { serveConfigured } from "./serveConfigured.ts"

export const serveProcess = (added: Added): Promise<void> =>
  runProcess((io) =>
    serveConfigured(added).pipe(
      Effect.provideService(CommandLine, io),
      Effect.exit,
      Effect.map((exit) =>
        Exit.isSuccess(exit)
          ? exitCode.ok
          : explainFailure(exit.cause, (line) => io.stderr.write(`gatewarden: ${line}\n`))
      )
    )
  )
