import { Context } from "effect"

/** How an operator finds this process. A platform that knows neither leaves the host empty and the process id `null`. */
export const ProcessName = Context.Reference<{ readonly host: string; readonly pid: number | null }>(
  "gatewarden/ProcessName",
  { defaultValue: () => ({ host: "", pid: null }) }
)
