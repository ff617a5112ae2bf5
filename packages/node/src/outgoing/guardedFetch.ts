/**
 * A `fetch` that connects to public addresses only, whatever a name leads to at that moment.
 *
 * Rule: operating#outgoing-calls.
 */
import { type Fetch, isPublicAddress } from "@gatewarden/core/internal"
import { fetchAllowed } from "./fetchAllowed.ts"
import { lookupInDns } from "./lookupInDns.ts"

export { AddressRefused } from "./fetchAllowed.ts"

export interface GuardedFetchOptions {
  readonly allowPrivate: boolean
  /** Addresses of the servers of names that are asked for public addresses. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined
}

/** Private networks have names that only the system knows, such as those of a file or of a search domain. */
export const guardedFetch = ({ allowPrivate, nameServers }: GuardedFetchOptions): Fetch =>
  fetchAllowed(allowPrivate ? { allows: () => true } : { allows: isPublicAddress, lookup: lookupInDns(nameServers) })
