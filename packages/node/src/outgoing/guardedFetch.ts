/**
 * A `fetch` that connects to public addresses only, whatever a name leads to at that moment.
 *
 * Rule: operating#outgoing-calls.
 */
import { type Fetch, isPublicAddress } from "@gatewarden/core/effect"
import { fetchAllowed } from "./fetchAllowed.ts"

export { AddressRefused } from "./fetchAllowed.ts"

export interface GuardedFetchOptions {
  readonly allowPrivate: boolean
}

export const guardedFetch = ({ allowPrivate }: GuardedFetchOptions): Fetch =>
  fetchAllowed({ allows: allowPrivate ? () => true : isPublicAddress })
