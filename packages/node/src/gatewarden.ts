#!/usr/bin/env node
/** The executable. All that needs a newer Node than the one that is there is loaded once that was looked at: it would end in a stack trace. */
import { judgeNode } from "./doctor/judgeNode.ts"
import { exitCode } from "./failure/exitCode.ts"

const { state, detail, mend } = judgeNode(process.versions.node)

if (state === "fail") {
  process.stderr.write(`gatewarden: ${detail}: ${mend}\n`)
  process.exitCode = exitCode.configuration
} else {
  const { runExecutable } = await import("./cli/runExecutable.ts")
  await runExecutable()
}
