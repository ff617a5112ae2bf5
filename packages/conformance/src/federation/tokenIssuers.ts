/**
 * Issuers of workload tokens, as a `fetch`: discovery, key sets, and faults. Tokens are signed by `node:crypto`, so that another code than
 * the one under test decides what a signature is.
 */
import type { Fetch } from "@gatewarden/core/internal"
import { createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from "node:crypto"

interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const keyOf = (kid: string, alg: string, pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }) => ({
  kid,
  alg,
  ...pair
})

/** Made once, because RSA keys take long. The last is one that no key set has. */
export const signingKeys = {
  ec: keyOf("ec-1", "ES256", generateKeyPairSync("ec", { namedCurve: "P-256" })),
  rsa: keyOf("rsa-1", "RS256", generateKeyPairSync("rsa", { modulusLength: 2048 })),
  pss: keyOf("pss-1", "PS256", generateKeyPairSync("rsa", { modulusLength: 2048 })),
  ed: keyOf("ed-1", "EdDSA", generateKeyPairSync("ed25519")),
  next: keyOf("ec-2", "ES256", generateKeyPairSync("ec", { namedCurve: "P-256" })),
  stranger: keyOf("ec-1", "ES256", generateKeyPairSync("ec", { namedCurve: "P-256" }))
} as const satisfies Record<string, SigningKey>

export type SigningKeyName = keyof typeof signingKeys

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A signed token; `header` replaces members of its header. */
export const signToken = (claims: object, name: SigningKeyName = "ec", header: object = {}): string => {
  const { alg, kid, privateKey } = signingKeys[name]
  const signed = `${encoded({ alg, kid, typ: "JWT", ...header })}.${encoded(claims)}`
  const signature = signBytes(alg === "EdDSA" ? null : "sha256", Buffer.from(signed), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
    ...(alg === "PS256" ? { padding: 6, saltLength: 32 } : {})
  })
  return `${signed}.${signature.toString("base64url")}`
}

/** A token without signature, and one that is signed with what everybody knows: the public key. */
export const unsignedToken = (claims: object): string => `${encoded({ alg: "none" })}.${encoded(claims)}.`
export const publiclySignedToken = (claims: object): string => {
  const { kid, publicKey } = signingKeys.rsa
  const signed = `${encoded({ alg: "HS256", kid })}.${encoded(claims)}`
  const secret = publicKey.export({ type: "spki", format: "pem" })
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

/** Issuers that are found by discovery. */
export const issuer = "https://issuer.example.com/pool"
/** The key set of the same issuer. */
export const keySet = `${issuer}/keys`

export type IssuerFault = "down" | "broken" | "large" | "redirect"

export class TokenIssuers {
  /** How often each address was asked. */
  readonly asked = new Map<string, number>()
  /** What the issuers do instead of answering well. */
  fault: IssuerFault | undefined
  /** The keys that they have. */
  keys: readonly SigningKeyName[] = ["ec", "rsa", "pss", "ed"]

  readonly fetch: Fetch = async (url) => {
    this.asked.set(url, (this.asked.get(url) ?? 0) + 1)
    switch (this.fault) {
      case "down":
        throw new TypeError("refused")
      case "broken":
        return new Response("{")
      case "large":
        return new Response(`{"keys":[],"padding":"${"x".repeat(300_000)}"}`)
      case "redirect":
        return new Response(null, { status: 302, headers: { location: keySet } })
    }
    // Every address below answers in the name of the one issuer.
    if (url.endsWith("/.well-known/openid-configuration")) return Response.json({ issuer, jwks_uri: keySet })
    if (url === keySet)
      return Response.json({
        keys: this.keys.map((name) => {
          const { kid, alg, publicKey } = signingKeys[name]
          return { ...publicKey.export({ format: "jwk" }), kid, alg, use: "sig" }
        })
      })
    return new Response("not found", { status: 404 })
  }

  /** Well again, with the keys of the beginning. */
  mend(): void {
    this.fault = undefined
    this.keys = ["ec", "rsa", "pss", "ed"]
    this.asked.clear()
  }
}
