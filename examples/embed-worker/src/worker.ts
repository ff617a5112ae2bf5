/** Gatewarden as a module Worker, remembering in the memory of its isolate. */
import { createGatewarden, type Gatewarden, memory } from "@gatewarden/core"

interface Bindings {
  /** 32 to 256 visible ASCII characters. */
  readonly GATEWARDEN_MANAGEMENT_KEY: string
}

interface Execution {
  readonly waitUntil: (work: Promise<unknown>) => void
}

let started: Promise<Gatewarden> | undefined

const start = (bindings: Bindings): Promise<Gatewarden> => {
  const starting = createGatewarden({ store: memory(), managementKey: bindings.GATEWARDEN_MANAGEMENT_KEY })
  // A start that failed is tried again by the next request.
  starting.catch(() => (started = undefined))
  return starting
}

export default {
  fetch: async (request: Request, bindings: Bindings, execution: Execution): Promise<Response> => {
    // At global scope a Worker has no randomness, no timers and no I/O, so the first request starts the instance.
    if (started === undefined) {
      started = start(bindings)
      // Others wait for this start too: it must not end with a client that hangs up.
      execution.waitUntil(started)
    }
    return (await started).fetch(request)
  }
}
