/**
 * Signs a request to an S3-compatible service.
 *
 * Source: AWS Signature Version 4 for S3, "Authenticating Requests: Using the Authorization Header", payload in a single chunk.
 */
import { createHash, createHmac } from "node:crypto"

export interface SigningCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface UnsignedRequest {
  readonly method: string
  /** Absolute, its path percent-encoded as it is sent. */
  readonly url: string
  /** Headers to sign beside those that are added. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Lowercase hex SHA-256 of a body that is not at hand as a whole. */
  readonly bodyHash?: string | undefined
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Uint8Array, text: string): Uint8Array => createHmac("sha256", key).update(text).digest()

/** RFC 3986: everything but unreserved characters is escaped. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join("&")

/** Every header to send but `host`, which the connection adds. */
export const signRequest = (
  { method, url, headers = {}, body, bodyHash }: UnsignedRequest,
  credentials: SigningCredentials,
  region: string,
  now: number
): Readonly<Record<string, string>> => {
  const target = new URL(url)
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const payload = bodyHash ?? sha256(body ?? "")
  const sent: Record<string, string> = {
    ...headers,
    "x-amz-content-sha256": payload,
    "x-amz-date": time,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken })
  }
  const signed: readonly (readonly [string, string])[] = Object.entries({ ...sent, host: target.host }).sort(
    ([a], [b]) => (a < b ? -1 : 1)
  )
  const names = signed.map(([name]) => name).join(";")
  const canonical = [
    method,
    target.pathname,
    canonicalQuery(target),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    payload
  ].join("\n")
  const key = scope.split("/").reduce<string | Uint8Array>(hmac, `AWS4${credentials.secretAccessKey}`)
  const signature = Buffer.from(hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n"))).toString(
    "hex"
  )
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`
  }
}
