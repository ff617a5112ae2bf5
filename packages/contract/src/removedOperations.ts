/**
 * Operations that the public API had and removed. Each request for one is answered 410, with or without a key.
 *
 * Rule: requests#removed-operations.
 */
import type { Method } from "./operation.ts"

export interface RemovedOperation {
  readonly id: string
  readonly method: Exclude<Method, "GET">
  readonly path: `/${string}`
  readonly tag: string
  readonly summary: string
}

export const removedOperations: readonly RemovedOperation[] = [
  {
    id: "createCoinbaseCharge",
    method: "POST",
    path: "/credits/coinbase",
    tag: "Credits",
    summary: "Removed by the public API: buy credits with Coinbase"
  }
]
