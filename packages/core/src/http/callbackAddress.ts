/** Where the authorization page sends the user, and how its policy names that. Rule: authorization#authorization-page. */
import { callbackOrigin } from "../platform/callbackUrl.ts"

/** An accepted callback URL with more parameters, after those that it has. It has no fragment. */
export const callbackWith = (url: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  const join = !url.includes("?") ? "?" : /[?&]$/.test(url) ? "" : "&"
  return `${url}${join}${added.join("&")}`
}

/**
 * The source for `form-action`, which browsers also apply to where a form is redirected. A host may have characters that end a directive, and
 * an IPv6 address is no source, so other hosts than plain names are named by their scheme.
 */
export const formTarget = (url: string): string => {
  const origin = callbackOrigin(url)
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) ? origin : `${new URL(origin).protocol}`
}
