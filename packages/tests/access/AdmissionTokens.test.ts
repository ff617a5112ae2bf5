import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AdmissionToken, AdmissionTokens, layerAdmissionTokens } from "../../core/src/access/AdmissionTokens.ts"
import { fromBase64url, base64url } from "../../core/src/value/text.ts"
import { parseKeyring } from "../../core/src/vault/Keyring.ts"

const keyOf = (byte: number): string => btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))

/** Signs or reads with the keys of a keyring as it is written. */
const withKeys = <A>(text: string, use: (tokens: typeof AdmissionTokens.Service) => Effect.Effect<A>) => {
  const parsed = parseKeyring(text)
  if ("problem" in parsed) throw new Error(parsed.problem)
  return Effect.provide(Effect.flatMap(AdmissionTokens, use), layerAdmissionTokens(parsed.keyring))
}

const token: AdmissionToken = {
  account_id: "00112233-4455-6677-8899-aabbccddeeff",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  api_key_hash: "0123456789abcdef".repeat(4),
  expires_at: 1_772_625_600_000,
  holds: true,
  counted: false,
  forgets: false,
  by_operator: false,
  is_bounded: true
}

const own = `a:${keyOf(1)}`
const next = `b:${keyOf(2)}`

describe("AdmissionTokens", () => {
  it.effect("reads what it signed, in an id that a usage event may have", () =>
    Effect.gen(function* () {
      for (const holds of [true, false])
        for (const [counted, forgets, by_operator] of [
          [true, false, false],
          [false, true, true],
          [true, true, false],
          [false, false, true]
        ] as const)
          for (const expires_at of [token.expires_at, 2 ** 32 * 1000, (2 ** 40 - 1) * 1000]) {
            const sent = { ...token, holds, counted, forgets, by_operator, expires_at }
            const id = yield* withKeys(own, ({ sign }) => sign(sent))
            assert.match(id, /^[A-Za-z0-9_-]{127}$/)
            assert.deepEqual(yield* withKeys(own, ({ read }) => read(id)), sent)
          }
      const [one, other] = [
        yield* withKeys(own, ({ sign }) => sign(token)),
        yield* withKeys(own, ({ sign }) => sign(token))
      ]
      assert.notStrictEqual(one, other)
    })
  )

  it.effect("reads what any key of the keyring signed, and nothing of another's", () =>
    Effect.gen(function* () {
      const id = yield* withKeys(own, ({ sign }) => sign(token))
      assert.deepEqual(yield* withKeys(`${next},${own}`, ({ read }) => read(id)), token)
      assert.isUndefined(yield* withKeys(next, ({ read }) => read(id)))
      assert.isUndefined(yield* withKeys(`a:${keyOf(2)}`, ({ read }) => read(id)))
    })
  )

  it.effect("reads nothing in which a bit differs, and nothing shorter or longer", () =>
    Effect.gen(function* () {
      const id = yield* withKeys(own, ({ sign }) => sign(token))
      const bytes = fromBase64url(id) ?? assert.fail()
      yield* withKeys(
        own,
        Effect.fnUntraced(function* ({ read }) {
          for (let bit = 0; bit < bytes.length * 8; bit++) {
            const changed = Uint8Array.from(bytes)
            changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
            assert.isUndefined(yield* read(base64url(changed)), `bit ${bit}`)
          }
          for (const other of ["", id.slice(0, -4), `${id}AAAA`, base64url(bytes.subarray(0, 94))])
            assert.isUndefined(yield* read(other), other)
        })
      )
    })
  )
})
