/**
 * Fetches the keys of an issuer: from its key set, or by way of its discovery document.
 *
 * Source: RFC 7517 5; OpenID Connect Discovery 1.0, 4. The addresses are chosen by clients, so requests go through `OutgoingFetch`,
 * follow no redirect, and are bounded in time and size.
 */
import type { FederationPolicy } from "@gatewarden/contract"
import { Effect } from "effect"
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from "jose"
import { acceptsCallbackUrl } from "../platform/callbackUrl.ts"
import type { Fetch } from "../platform/Fetch.ts"
import { RequestFailed, sendRequest } from "../platform/sendRequest.ts"

export type KeysAddress = Pick<FederationPolicy, "issuer" | "jwks_uri">

const timeoutMillis = 5_000
const maxBytes = 262_144
const maxKeys = 100

/** RSA keys of 8,192 bits have a modulus of 1,366 characters; a longer one would make each signature slow to check. */
const maxMemberLength = 1_400

const publicMembers = ["kty", "kid", "use", "alg", "n", "e", "crv", "x", "y"] as const
const kinds: readonly unknown[] = ["RSA", "EC", "OKP"]

const readObject = Effect.fnUntraced(function* (fetch: Fetch, url: string) {
  const headers = { accept: "application/json" }
  const { status, body } = yield* sendRequest(fetch, { url, method: "GET", headers, timeoutMillis, maxBytes })
  if (status !== 200) return yield* new RequestFailed()
  const value = yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    catch: () => new RequestFailed()
  })
  if (typeof value !== "object" || value === null) return yield* new RequestFailed()
  return value as Readonly<Record<string, unknown>>
})

const keySetAddress = Effect.fnUntraced(function* (fetch: Fetch, { issuer, jwks_uri }: KeysAddress) {
  if (jwks_uri !== null) return jwks_uri
  const found = yield* readObject(fetch, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)
  const address = found["jwks_uri"]
  // A document of another issuer would let that one sign in the name of this one.
  if (found["issuer"] !== issuer || typeof address !== "string" || !acceptsCallbackUrl(address))
    return yield* new RequestFailed()
  return address
})

/** The public members of a key for signatures, undefined for what is no such key. */
const publicKey = (entry: unknown): JWK | undefined => {
  if (typeof entry !== "object" || entry === null) return undefined
  const members = entry as Readonly<Record<string, unknown>>
  const { kty, use } = members
  if (!kinds.includes(kty) || (use !== undefined && use !== "sig")) return undefined
  const kept: Record<string, string> = {}
  for (const name of publicMembers) {
    const value = members[name]
    if (typeof value !== "string") continue
    if (value.length > maxMemberLength) return undefined
    kept[name] = value
  }
  return kept as unknown as JWK
}

export const fetchIssuerKeys = Effect.fnUntraced(function* (fetch: Fetch, address: KeysAddress) {
  const { keys } = yield* readObject(fetch, yield* keySetAddress(fetch, address))
  if (!Array.isArray(keys) || keys.length > maxKeys) return yield* new RequestFailed()
  return createLocalJWKSet({ keys: keys.flatMap((entry) => publicKey(entry) ?? []) }) satisfies JWTVerifyGetKey
})
