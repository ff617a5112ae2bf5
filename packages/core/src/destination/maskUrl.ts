/**
 * Masks a URL for responses: its userinfo, and parts of its path and query values that look like secrets. The rest stays as sent.
 *
 * Rule: secrets#masked-urls.
 */
import { looksMasked, maskSecret } from "../vault/maskSecret.ts"

const secretName = /key|token|secret|passw|pwd|auth|sig|credential|session|code/i

/** Looks like a secret: long, in the characters of encoded bytes, with letters and digits. */
const secretShape = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9+/_=.~%-]{20,}$/

/** A part of a path that looks like the secret of a webhook: long, and with letters and digits, or letters of both cases. */
const secretPart = /^(?=.*[A-Za-z])(?:(?=.*\d)|(?=.*[a-z])(?=.*[A-Z]))\S{20,}$/

const maskPath = (path: string): string =>
  path.replace(/[^/\\]+/g, (part) => (secretPart.test(part) ? maskSecret(part) : part))

/** The mask of so long a part. */
const maskedPart = /^[^\s.]{0,4}\.{3}[^\s.]{2,4}$/

const maskQuery = (query: string): string =>
  query
    .split("&")
    .map((pair) => {
      const equals = pair.indexOf("=")
      if (equals === -1) return secretShape.test(pair) ? maskSecret(pair) : pair
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
      return secretName.test(name) || secretShape.test(value) ? `${name}=${maskSecret(value)}` : pair
    })
    .join("&")

const parts = /^(\s*https?:[/\\]{2})([^/\\?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/is

/** Anything but an http or https URL is left as it is. */
export const maskUrl = (text: string): string => {
  const match = parts.exec(text)
  if (match === null) return text
  const [, scheme = "", authority = "", path = "", query, fragment = ""] = match
  const host = authority.lastIndexOf("@")
  const shown = host === -1 ? authority : `...${authority.slice(host)}`
  return `${scheme}${shown}${maskPath(path)}${query === undefined ? "" : `?${maskQuery(query)}`}${fragment}`
}

/** Whether a part of a URL is shaped like a mask. */
export const looksMaskedUrl = (text: string): boolean => {
  const [, , authority = "", path = "", query = ""] = parts.exec(text) ?? []
  return (
    authority.startsWith("...@") ||
    path.split(/[/\\]/).some((part) => maskedPart.test(part)) ||
    query.split("&").some((pair) => looksMasked(pair.slice(pair.indexOf("=") + 1)))
  )
}

/** Older DSNs have a secret behind the public key, which is meant to be seen. */
export const maskDsn = (dsn: string): string => dsn.replace(/^([^:@/]+:\/\/[^:@/]*):[^@]*@/, "$1:...@")

export const looksMaskedDsn = (text: string): boolean => /^[^:@/]+:\/\/[^:@/]*:\.\.\.@/.test(text)
