/**
 * Which app a request belongs to in public datasets.
 *
 * Rule: datasets#apps. Both patterns mean the same to JavaScript and to PostgreSQL, and read ASCII alone.
 */

/** The URL of an app; its group is the host without `www.`. Neither an address nor a name of one label is public. */
export const appUrlPattern =
  "^[Hh][Tt][Tt][Pp][Ss]?://(?:[Ww][Ww][Ww]\\.)?((?:[0-9A-Za-z-]{1,63}\\.)+[A-Za-z][0-9A-Za-z-]{0,62})(?::[0-9]{1,5})?(?:[/?#]|$)"

/** Hosts in lower case that nobody reaches from elsewhere. */
export const privateHostPattern = "(?:^|\\.)(?:local|localhost|internal|intranet|lan|corp|test|invalid|home\\.arpa)$"

const appUrl = new RegExp(appUrlPattern)
const privateHost = new RegExp(privateHostPattern)

/** The host that names the app; undefined: the request belongs to no public app. */
export const publicAppOf = (origin: string | null): string | undefined => {
  const host = origin === null ? undefined : appUrl.exec(origin)?.[1]?.toLowerCase()
  return host === undefined || privateHost.test(host) ? undefined : host
}

/** The origin under which a public app has its number. */
export const originOfApp = (host: string): string => `https://${host}`
