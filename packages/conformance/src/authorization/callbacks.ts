/** What the PKCE flow is made of: callbacks that are accepted and not, and challenges with the verifiers that fit them. */
import * as fc from "fast-check"

export const callbackUrls = fc.constantFrom(
  "https://app.example.com/callback",
  "https://app.example.com/other",
  "http://localhost:3000/cb",
  "http://127.0.0.1/",
  "http://app.example.com/callback",
  "https://user@app.example.com/"
)

const plain = "plain-verifier-0123456789-0123456789-0123456789"
const s256 = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

export const verifiers = fc.constantFrom(plain, s256)

export const challenges: fc.Arbitrary<object> = fc.constantFrom(
  {},
  { code_challenge: plain },
  { code_challenge: plain, code_challenge_method: "plain" },
  { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
  { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
  { code_challenge_method: "S256" }
)

/** The verifier that fits a challenge of these, undefined where none is due. */
export const verifierOf = (challenge: unknown): string | undefined =>
  challenge === undefined ? undefined : challenge === plain ? plain : s256
