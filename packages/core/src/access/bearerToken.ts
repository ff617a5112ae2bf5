/**
 * The key inside an `Authorization` header.
 *
 * Rule: requests#bearer-credentials. Source: RFC 9110 11.4; RFC 6750 2.1.
 */

/**
 * The key, or `undefined` when there is none that could be used: no header, another scheme, no key, a key with spaces or with
 * anything but visible ASCII. Two headers, which arrive joined by a comma and a space, are a key with a space inside. Nothing
 * is trimmed, since a header value has no outer spaces unless something was joined to it.
 */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : /^bearer +([!-~]+)$/i.exec(authorization)?.[1]
