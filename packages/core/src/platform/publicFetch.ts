import { isPublicAddress } from "./isPublicAddress.ts"
import type { Fetch } from "./Fetch.ts"

const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host)

/**
 * The platform's `fetch`, except to addresses that are not public. A runtime with `fetch` alone cannot check what a name resolves to; a
 * platform that can provides a stricter one.
 */
export const publicFetch: Fetch = async (url, { connectionsOf: _, ...init }) => {
  const { hostname } = new URL(url)
  const refused = isAddress(hostname)
    ? !isPublicAddress(hostname.replace(/^\[|\]$/g, ""))
    : /(?:^|\.)localhost\.?$/.test(hostname)
  if (refused) throw new TypeError("The address is not public")
  return fetch(url, init)
}
