import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import type { ChallengeMethod } from "@gatewarden/contract/internal"
import { challengeOf, isPlainChallenge, isS256Challenge } from "../../core/src/authorization/authorization.ts"

const verifierMatches = (method: ChallengeMethod, challenge: string, verifier: string): boolean =>
  challengeOf(method, verifier, createHash("sha256").update(verifier).digest()) === challenge

// RFC 7636, appendix B.
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

const unreserved = fc.constantFrom(..."ABCXYZabcxyz0189-._~")
const verifiers = fc.string({ unit: unreserved, minLength: 43, maxLength: 128 })

describe("challenge formats", () => {
  it("S256 is 43 base64url characters", () => {
    const cases: readonly (readonly [string, boolean])[] = [
      [challenge, true],
      ["A".repeat(43), true],
      ["_-".repeat(21) + "0", true],
      ["", false],
      ["A".repeat(42), false],
      ["A".repeat(44), false],
      [challenge + "=", false],
      [challenge.slice(1) + "+", false],
      [challenge.slice(1) + "/", false],
      [challenge.slice(1) + ".", false],
      [challenge.slice(1) + "é", false],
      [challenge + "\n", false],
      [" " + challenge.slice(1), false]
    ]
    for (const [text, expected] of cases) assert.strictEqual(isS256Challenge(text), expected, JSON.stringify(text))
  })

  it("plain is 43 to 128 unreserved characters", () => {
    const cases: readonly (readonly [string, boolean])[] = [
      [verifier, true],
      ["a".repeat(42), false],
      ["a".repeat(43), true],
      ["~._-".repeat(32), true],
      ["a".repeat(129), false],
      ["a".repeat(42) + "+", false],
      ["a".repeat(42) + "=", false],
      ["a".repeat(42) + "%", false],
      ["a".repeat(42) + "ä", false],
      ["a".repeat(43) + "\n", false],
      ["", false]
    ]
    for (const [text, expected] of cases) assert.strictEqual(isPlainChallenge(text), expected, JSON.stringify(text))
  })
})

describe("challengeOf", () => {
  it("takes the vector of RFC 7636, appendix B", () => {
    assert.isTrue(verifierMatches("S256", challenge, verifier))
    assert.isFalse(verifierMatches("plain", challenge, verifier))
    assert.isFalse(verifierMatches("S256", verifier, verifier), "no downgrade to plain")
    assert.isFalse(verifierMatches("S256", challenge + "=", verifier))
    assert.isFalse(verifierMatches("S256", challenge.toLowerCase(), verifier))
  })

  it("refuses verifiers that RFC 7636 4.1 does not allow, even with the right digest", () => {
    for (const malformed of ["", "short", "a".repeat(42), "a".repeat(129), `${"a".repeat(43)} `, "ä".repeat(43)]) {
      const digest = createHash("sha256").update(malformed).digest("base64url")
      assert.isFalse(verifierMatches("S256", digest, malformed), malformed)
      assert.isFalse(verifierMatches("plain", malformed, malformed), malformed)
    }
  })

  it("matches exactly the verifier of a challenge", () => {
    fc.assert(
      fc.property(verifiers, verifiers, fc.constantFrom("S256" as const, "plain" as const), (one, other, method) => {
        const answerTo = (text: string) =>
          method === "plain" ? text : createHash("sha256").update(text).digest("base64url")
        assert.isTrue(verifierMatches(method, answerTo(one), one))
        assert.strictEqual(verifierMatches(method, answerTo(one), other), one === other)
      })
    )
  })

  it("sees a difference at every place", () => {
    for (let at = 0; at < verifier.length; at++) {
      const changed = verifier.slice(0, at) + (verifier[at] === "x" ? "y" : "x") + verifier.slice(at + 1)
      assert.isFalse(verifierMatches("plain", verifier, changed))
      assert.isFalse(verifierMatches("S256", challenge, changed))
      assert.isFalse(verifierMatches("S256", challenge.slice(0, at) + "!" + challenge.slice(at + 1), verifier))
    }
  })
})
