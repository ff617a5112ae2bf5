/** What the process itself costs, read when it is asked for. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { version } from "../platform/version.ts"
import type { Instruments } from "./makeInstruments.ts"

/** How often the loop is looked at; an idle one is late by as much. */
const resolutionMillis = 20

export const processMetrics = ({ gauge, counter }: Instruments) => {
  const resident = gauge("process_resident_memory_bytes")
  const heap = gauge("nodejs_heap_size_used_bytes")
  const cpu = counter("process_cpu_seconds_total")
  let counted = 0
  const start = gauge("process_start_time_seconds")
  const lag = gauge("nodejs_eventloop_lag_seconds")
  gauge("gatewarden_build_info").set(1, { version, node: process.version })
  start.set(Math.floor(Date.now() / 1000 - process.uptime()))
  const delays = monitorEventLoopDelay({ resolution: resolutionMillis })
  delays.enable()
  return {
    read: () => {
      const { rss, heapUsed } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      resident.set(rss)
      heap.set(heapUsed)
      const spent = (user + system) / 1e6
      cpu(spent - counted)
      counted = spent
      for (const quantile of [50, 90, 99])
        lag.set(Math.max(0, delays.percentile(quantile) / 1e9 - resolutionMillis / 1000), { quantile: `0.${quantile}` })
      delays.reset()
    },
    close: () => void delays.disable()
  }
}
