/**
 * The address below which a client finds the operations.
 *
 * Rule: authorization#metadata. A host or a proxy may have another address than the process sees; only the operator knows it, and
 * names it as `publicUrl`.
 */
import { Effect } from "effect"
import { NotFound } from "../value/failure.ts"
import type { AppRequest } from "./AppRequest.ts"
import type { AppSettings } from "./AppSettings.ts"

/** An http or https URL without user info, query and fragment, and without a slash at its end. */
export const publicUrlPattern = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:\/[A-Za-z0-9._~-]+)*$/

/** Whether the instance has an address to give: one that the operator set, or one that a request may tell. */
export const knowsAddress = ({ publicUrl, addressOfRequest }: AppSettings): boolean =>
  publicUrl !== undefined || addressOfRequest

/** Rule: authorization#metadata. */
export const addressUnknown = () => new NotFound({ reason: "public_url_required" })

/** Whether a request came over TLS, as far as the instance can know, or where no other machine reads it. */
export const cameInConfidence = (settings: AppSettings, request: AppRequest): Effect.Effect<boolean> =>
  settings.addressOfRequest
    ? Effect.succeed(true)
    : Effect.map(publicAddress(settings, request), (address) => address.startsWith("https:"))

type Addressed = Pick<AppSettings, "basePath" | "publicUrl" | "region">

/** The scheme that the proxy in front was asked with; undefined where no proxy is trusted to say so. */
const forwardedScheme = ({ region }: Addressed, request: AppRequest): string | undefined => {
  if ((region.trustedProxies ?? 0) === 0) return undefined
  const scheme = request.headers["x-forwarded-proto"]?.split(",").at(-1)?.trim()
  return scheme === "https" || scheme === "http" ? scheme : undefined
}

/** Without a slash at its end. */
export const publicAddress = (settings: Addressed, request: AppRequest): Effect.Effect<string> => {
  if (settings.publicUrl !== undefined) return Effect.succeed(settings.publicUrl)
  const base = settings.basePath === "/" ? "" : settings.basePath
  return Effect.map(request.whole(), ({ url }) => {
    const { protocol, host } = new URL(url)
    return `${forwardedScheme(settings, request) ?? protocol.slice(0, -1)}://${host}${base}`
  })
}
