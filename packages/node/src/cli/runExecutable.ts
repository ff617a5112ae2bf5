/** The command line as a process. */
import { runCommandLine } from "./runCommandLine.ts"
import { runProcess } from "./runProcess.ts"

export const runExecutable = (): Promise<void> => runProcess(runCommandLine)
