import { getGuardrail } from "@gatewarden/core/internal"
import { selectGuardrail } from "../bareStatements.ts"
import { callConcurrently } from "../callConcurrently.ts"
import { guardrailAt } from "../guardrailAt.ts"
import type { Race } from "../Measure.ts"
import { connections } from "../openBench.ts"
import { openDriver } from "../openDriver.ts"
import { openLibrary } from "../openLibrary.ts"

/** The operation by itself, beside the statement that it cannot do without. */
export const callLibrary: Race = {
  kind: "race",
  name: "Library call getGuardrail, no HTTP",
  atLeast: 0.75,
  open: async (bench) => {
    const library = await openLibrary(bench)
    const pipelined = await openDriver(bench.databaseUrl, true)
    const plain = await openDriver(bench.databaseUrl, false)
    const queried = (driver: typeof plain) =>
      callConcurrently(connections, (index, onDone) =>
        driver.query(selectGuardrail, [guardrailAt(bench, index), bench.account_id], onDone)
      )
    return {
      ours: callConcurrently(connections, (index, onDone) =>
        library.start(getGuardrail(library.caller, guardrailAt(bench, index)), onDone)
      ),
      bare: { "bare, pipelined": queried(pipelined), "bare, a connection each": queried(plain) },
      close: async () => {
        await library.close()
        await pipelined.close()
        await plain.close()
      }
    }
  }
}
