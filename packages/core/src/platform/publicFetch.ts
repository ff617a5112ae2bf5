import { isPublicAddress } from "./isPublicAddress.ts"
import type { Fetch } from "./Fetch.ts"

const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host)

/**
 * The platform's `fetch`, except to addresses that are not public. A runtime that only has `fetch` cannot say where a name
 * leads; a platform that can gives a stricter one.
 */
export const publicFetch: Fetch = async (url, init) => {
  const { hostname } = new URL(url)
  const refused = isAddress(hostname)
    ? !isPublicAddress(hostname.replace(/^\[|\]$/g, ""))
    : /(?:^|\.)localhost\.?$/.test(hostname)
  if (refused) throw new TypeError("The address is not public")
  return fetch(url, init)
}
