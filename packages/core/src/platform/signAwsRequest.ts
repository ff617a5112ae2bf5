/**
 * Signs a request to an S3-compatible service with AWS Signature Version 4.
 *
 * Source: AWS Signature Version 4 for Amazon S3 (sigv4-create-canonical-request): in S3 the path is percent-encoded once, not twice.
 */
import { Effect } from "effect"
import * as Hex from "effect/encoding/Hex"
import { Digest, hmac } from "./Digest.ts"
import { compareText } from "../value/text.ts"

export interface SigningCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface UnsignedRequest {
  readonly method: string
  /** Absolute, its path percent-encoded as it is sent. */
  readonly url: string
  /** Headers to sign beside those that are added. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Lowercase hex SHA-256 of the body. */
  readonly bodyHash: string
}

const utf8 = new TextEncoder()

/** Lowercase hex SHA-256 of no bytes. */
export const emptyBodyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/** Percent-encodes all but the unreserved characters of RFC 3986, which is the form that the service computes itself. */
export const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The encoded pairs of a query, in the order of their bytes. A name without a value is one with an empty value. */
const canonicalQuery = (parameters: URLSearchParams): string =>
  Array.from(parameters, ([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
    .sort(([a, first], [b, second]) => (a === b ? compareText(first, second) : compareText(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join("&")

/** To the service an encoded slash is a slash. A path that does not decode is left as it is: the service refuses it. */
const canonicalPath = (pathname: string): string => {
  try {
    return encodeRfc3986(decodeURIComponent(pathname)).replaceAll("%2F", "/")
  } catch {
    return pathname
  }
}

/** Every header to send but `host`, which the connection adds. Names are in lower case. */
export const signAwsRequest = Effect.fnUntraced(function* (
  { method, url, headers = {}, bodyHash }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: SigningCredentials,
  region: string,
  now: number
) {
  const { host, pathname, searchParams } = new URL(url)
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const sent: Readonly<Record<string, string>> = {
    ...headers,
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken })
  }

  const signed = Object.entries({ ...sent, host }).sort(([a], [b]) => compareText(a, b))
  const names = signed.map(([name]) => name).join(";")
  const canonicalRequest = [
    method,
    canonicalPath(pathname),
    canonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    names,
    bodyHash
  ].join("\n")

  const { sha256Hex } = yield* Digest
  const stringToSign = ["AWS4-HMAC-SHA256", time, scope, yield* sha256Hex(canonicalRequest)].join("\n")
  let key = utf8.encode(`AWS4${secretAccessKey}`) as Uint8Array
  for (const part of scope.split("/")) key = yield* hmac(key, utf8.encode(part))
  const signature = Hex.encode(yield* hmac(key, utf8.encode(stringToSign)))
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  } as Readonly<Record<string, string>>
})
