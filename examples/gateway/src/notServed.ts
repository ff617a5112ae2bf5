/** What is said to requests for paths that nothing here answers: other APIs of the providers, and a base URL that a client was given wrongly. */

/** Paths of a server outside its base path have their own 404. `/v1` is what clients ask for that were given an address alone. */
const isAsked = (base: string, target: string): boolean => target.startsWith(`${base}/`) || target.startsWith("/v1/")

/** Clients of identity providers read errors of their own form. */
const isScim = (base: string, target: string): boolean => target.startsWith(`${base}/scim/`)

/** How a client reaches this API whose target has `/v1` in a wrong place; some clients add it by themselves. */
const remedyFor = (base: string, target: string): string => {
  const ends = base.endsWith("/v1")
  if (ends && target.startsWith(`${base}/v1/`))
    return ` Your client adds /v1 itself: set its base URL to this address with the path ${base.slice(0, -3) || "/"}.`
  if (target.startsWith(`${base}/`)) return ""
  const itself = ends ? `, or ${base.slice(0, -3) || "/"} if it adds /v1 itself` : ""
  return ` Set the base URL of your client to this address with the path ${base}${itself}.`
}

/**
 * The text of a 404, if nothing has the path of a target.
 *
 * @param base the base path, empty for the root
 * @param target the path of a request, as it was sent
 * @param served the paths that the gateway answers
 */
export const notServed = (
  base: string,
  method: string,
  target: string,
  served: readonly string[]
): string | undefined =>
  isAsked(base, target) && !isScim(base, target)
    ? `${method} ${target.slice(0, 200)} is not served here. Served are: POST ${served.map((path) => base + path).join(", ")}, and the management API.${remedyFor(base, target)}`
    : undefined

/** The path of the gateway whose clients ask for a target, so that they can read what they are told. */
export const nearestPath = (target: string, served: readonly string[]): string =>
  served.find((path) => target.endsWith(path) || target.includes(`${path}/`)) ?? "/chat/completions"
