import { assert, describe, it } from "@effect/vitest"
import type { ChallengeMethod } from "@gatewarden/contract/internal"
import * as fc from "fast-check"
import {
  type Presentation,
  type Proof,
  type Verdict,
  exchangeVerdict
} from "../../core/src/authorization/authorization.ts"

const born = Date.parse("2026-03-04T12:00:00.000Z")
const iso = (millis: number) => new Date(millis).toISOString()

const grant = (method: ChallengeMethod | null, spentAfter: number | null = null) => ({
  challenge_hash: method === null ? null : "hash",
  code_challenge_method: method,
  expires_at: iso(born + 600_000),
  spent_at: spentAfter === null ? null : iso(born + spentAfter)
})

type Row = readonly [challenge: ChallengeMethod | null, proof: Proof, method: ChallengeMethod | null, verdict: Verdict]

const alive: readonly Row[] = [
  ["S256", "right", null, "accept"],
  ["S256", "right", "S256", "accept"],
  ["S256", "right", "plain", "refuse"],
  ["S256", "wrong", null, "burn"],
  ["S256", "wrong", "S256", "burn"],
  ["S256", "wrong", "plain", "burn"],
  ["S256", "none", null, "burn"],
  ["S256", "none", "plain", "burn"],
  ["plain", "right", null, "accept"],
  ["plain", "right", "plain", "accept"],
  ["plain", "right", "S256", "refuse"],
  ["plain", "wrong", "plain", "burn"],
  ["plain", "none", "plain", "burn"],
  [null, "none", null, "accept"],
  [null, "none", "plain", "refuse"],
  [null, "none", "S256", "refuse"],
  [null, "unexpected", null, "refuse"],
  [null, "unexpected", "plain", "refuse"]
]

const presentations: fc.Arbitrary<readonly [ChallengeMethod | null, Presentation]> = fc
  .constantFrom(...alive)
  .map(([challenge, proof, method]) => [challenge, { proof, method }])

describe("exchangeVerdict", () => {
  it("of a living code", () => {
    for (const [challenge, proof, method, verdict] of alive)
      assert.strictEqual(
        exchangeVerdict(grant(challenge), { proof, method }, born),
        verdict,
        `${challenge} ${proof} ${method}`
      )
  })

  it("accepts up to the last millisecond, and afterwards nothing happens to the code", () => {
    fc.assert(
      fc.property(presentations, fc.nat(2_000_000), ([challenge, presented], after) => {
        const verdict = exchangeVerdict(grant(challenge), presented, born + after)
        if (after >= 600_000) assert.strictEqual(verdict, "refuse")
        else assert.strictEqual(verdict, exchangeVerdict(grant(challenge), presented, born))
      })
    )
    const right = { proof: "right", method: null } as const
    assert.strictEqual(exchangeVerdict(grant("S256"), right, born + 599_999), "accept")
    assert.strictEqual(exchangeVerdict(grant("S256"), right, born + 600_000), "refuse")
  })

  it("of a spent code: a retry within 30 s, a theft afterwards, whatever else is presented and however late", () => {
    fc.assert(
      fc.property(presentations, fc.nat(599_999), fc.nat(2_000_000), ([challenge, presented], spent, after) => {
        const verdict = exchangeVerdict(grant(challenge, spent), presented, born + spent + after)
        assert.strictEqual(verdict, after > 30_000 ? "revoke" : "refuse")
      })
    )
    const right = { proof: "right", method: null } as const
    assert.strictEqual(exchangeVerdict(grant("S256", 0), right, born + 30_000), "refuse")
    assert.strictEqual(exchangeVerdict(grant("S256", 0), right, born + 30_001), "revoke")
  })

  it("accepts only the right proof", () => {
    fc.assert(
      fc.property(presentations, fc.option(fc.nat(599_999)), fc.nat(2_000_000), ([challenge, presented], spent, at) => {
        if (exchangeVerdict(grant(challenge, spent), presented, born + at) !== "accept") return
        assert.isNull(spent)
        assert.isBelow(at, 600_000)
        assert.strictEqual(presented.proof, challenge === null ? "none" : "right")
        assert.include([null, challenge], presented.method)
      })
    )
  })
})
