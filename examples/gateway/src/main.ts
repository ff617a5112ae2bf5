/** `npm run gateway`: `gatewarden serve` with the paths of the gateway beside its own. */
import { bodyReceiver, sampleCatalog, serveGatewarden } from "@gatewarden/node"
import { banner, providersOf } from "./banner.ts"
import { makeGateway, type SettleTime, settleTimes } from "./Gateway.ts"
import { upstreamsOf } from "./knownUpstreams.ts"
import { listenerOf } from "./server.ts"
import type { Upstreams } from "./Upstream.ts"

/** How long an answer is read on whose client has left: its usage is what is charged. */
const readOnMillis = 120_000

/** The timers of a gateway, and an end of all patience: what has arrived of an answer is settled while the store is open. */
const makeTimers = () => {
  const impatient = new Set<() => void>()
  let isOver = false
  return {
    every: (millis: number, task: () => void) => {
      const timer = setInterval(task, millis)
      timer.unref()
      if (millis === readOnMillis) impatient.add(task)
      if (millis === readOnMillis && isOver) task()
      return () => {
        clearInterval(timer)
        impatient.delete(task)
      }
    },
    losePatience: () => {
      isOver = true
      for (const task of impatient) task()
    }
  }
}

const settleTimeOf = ({ GATEWAY_SETTLE: said = "" }: NodeJS.ProcessEnv): SettleTime => {
  const time = settleTimes.find((each) => each === (said === "" ? "before" : said))
  if (time === undefined) throw new TypeError(`GATEWAY_SETTLE: expected ${settleTimes.join(" or ")}`)
  return time
}

const serve = (upstreams: Upstreams, settle: SettleTime): Promise<void> =>
  serveGatewarden({
    catalog: sampleCatalog,
    routes: (served) => {
      const { gatewarden, bodies, outgoing } = served
      const { every, losePatience } = makeTimers()
      const gateway = makeGateway({ gatewarden, upstreams, outgoing, every, settle, read_on_ms: readOnMillis })
      return {
        paths: gateway.paths,
        listener: listenerOf(served, gateway, bodyReceiver({ limits: bodies })),
        // No client is left.
        idle: () => {
          losePatience()
          return gateway.idle()
        },
        notes: { providers: providersOf(upstreams), settle }
      }
    },
    banner: (started) => banner({ ...started, upstreams })
  })

try {
  await serve(upstreamsOf(process.env), settleTimeOf(process.env))
} catch (cause) {
  process.stderr.write(`gatewarden: ${cause instanceof Error ? cause.message : "unknown"}\n`)
  process.exitCode = cause instanceof TypeError ? 78 : 1
}
