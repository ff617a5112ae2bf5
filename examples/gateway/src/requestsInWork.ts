/**
 * Requests that are in work, from their whole body until their answer is written and settled, whoever still waits for it: a client that
 * leaves gives up its connection, but not its request. They are counted in bytes, as bodies are, and each takes as much of the heap as the
 * server reckons for a connection.
 *
 * Rule: requests#bodies-in-flight.
 */
import type { BodyLimits } from "@gatewarden/core"
import { bytesInFlight, type HeldBytes } from "@gatewarden/core/effect"
import type { BodySender } from "@gatewarden/node"
import { getHeapStatistics } from "node:v8"

const bytesOfRequest = 131_072

/** One key has at most this part of them. Beyond it in all, those of an account count together. */
const share = 8

export interface RequestsInWork {
  /** Begins a request of a key, unless it is `refused`. `sender` is asked for its account once there are many. */
  readonly begin: (
    key: string,
    sender: () => Promise<BodySender>
  ) => Promise<{ readonly refused: ReturnType<HeldBytes["take"]>; readonly end: () => void }>
}

export const requestsInWork = (
  limits: BodyLimits,
  heap: number = getHeapStatistics().heap_size_limit
): RequestsInWork => {
  const most = Math.floor(heap / share)
  const { json: requests } = bytesInFlight({ ...limits, json: { process: heap, key: most } })
  return {
    begin: async (key, sender) => {
      const account = requests.size < most ? undefined : (await sender()).account_id
      const { take, release } = requests.hold({ key, account, reserve: false })
      return { refused: take(bytesOfRequest), end: release }
    }
  }
}
