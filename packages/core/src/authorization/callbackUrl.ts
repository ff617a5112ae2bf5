/**
 * Which callback URLs an authorization code may be bound to, and the origin by which an app is known.
 *
 * Rule: authorization#callback-urls. The code is sent to this address, so the check must see the same host as every client and browser. It
 * compares the written host with the parsed one, and refuses everything that parsers read differently: backslashes, user info, other
 * spellings of an address, encoded hosts.
 */
const maxLength = 2048

const visibleAscii = /^[!-~]*$/
const forbidden = /[\\"<>^`{|}#]/

/** Scheme and authority without user info; the parser checks the rest. */
const shape = /^(https?):\/\/([^/?@]*)(?:[/?]|$)/i

/** A bracketed or plain host, and a port when there is a colon; the parser refuses ports above 65535. */
const authorityShape = /^(\[[^[\]]*\]|[^:[\]]*)(?::\d{1,5})?$/

const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1"]

/** Whether a code may be created for this `callback_url`. */
export const acceptsCallbackUrl = (url: string): boolean => {
  if (url.length > maxLength || !visibleAscii.test(url) || forbidden.test(url)) return false
  const [, scheme, authority] = shape.exec(url) ?? []
  if (scheme === undefined || authority === undefined) return false
  const [, host] = authorityShape.exec(authority) ?? []
  if (host === undefined || host === "" || host.endsWith(".")) return false
  const parsed = parse(url)
  if (parsed === undefined || parsed.hostname !== host.toLowerCase()) return false
  return scheme.toLowerCase() === "https" || loopbackHosts.includes(parsed.hostname)
}

/** The origin of an accepted callback URL: lower-case scheme and host, and the port unless it is the scheme's own. */
export const callbackOrigin = (url: string): string => new URL(url).origin

/** The default name of an app: host and port of its callback URL (Rule: authorization#app-names). */
export const appName = (url: string): string => new URL(url).host

const parse = (url: string): URL | undefined => {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}
