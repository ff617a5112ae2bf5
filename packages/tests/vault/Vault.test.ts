/**
 * What the vault promises (Rule: secrets#encryption): a ciphertext opens with its key, in its place, unchanged, and in no other
 * way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"
import { Entropy } from "../../core/src/platform/Entropy.ts"
import { type Keyring, parseKeyring } from "../../core/src/vault/Keyring.ts"
import { keyIdOf, layerVault, type EncryptionContext, Vault } from "../../core/src/vault/Vault.ts"

/** Numbers from 0 below a bound, the same in every run (mulberry32). */
const makeRandom = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}

const keyringOf = (text: string): Keyring => {
  const parsed = parseKeyring(text)
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.keyring
}

const keyOf = (byte: number): string => btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))

// The ids differ in one bit, so that a flip in the envelope names another key that is there.
const first = `a:${keyOf(1)}`
const second = `c:${keyOf(2)}`

const run = <A, E>(program: Effect.Effect<A, E, Vault>, keyring: string, seed = 1) => {
  const random = makeRandom(seed)
  return program.pipe(
    Effect.provide(layerVault(keyringOf(keyring))),
    Effect.provideService(Entropy, {
      bytes: (size) => Uint8Array.from({ length: size }, () => random(256)),
      uuid: () => "00000000-0000-4000-8000-000000000000"
    })
  )
}

const seal = (secret: string, context: EncryptionContext) =>
  Vault.use((vault) => vault.seal(Redacted.make(secret), context))

/** The secret, or undefined where the vault refuses. */
const open = (envelope: Uint8Array, context: EncryptionContext) =>
  Vault.use((vault) => vault.open(envelope, context)).pipe(
    Effect.map(Redacted.value),
    Effect.catchTag("SecretUnreadable", () => Effect.succeed(undefined))
  )

const context: EncryptionContext = {
  table: "byok_credential",
  field: "key",
  account_id: "6d0f6a52-3a2b-4a52-9b4e-0d3b7a0c1e11",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  row_id: "3f0a7c52-6f7e-4d57-8d0f-9b1f6f2f4c10"
}

const flipped = (envelope: Uint8Array, bit: number): Uint8Array => {
  const copy = Uint8Array.from(envelope)
  copy[bit >>> 3] = (copy[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

const randomText = (random: (bound: number) => number, length: number): string =>
  Array.from({ length }, () => String.fromCodePoint(0x21 + random(94))).join("")

describe("Vault", () => {
  it.effect("opens what it sealed, whatever the text", () =>
    Effect.gen(function* () {
      const samples = fc.sample(fc.string({ unit: "binary", maxLength: 200 }), { numRuns: 300, seed: 7 })
      for (const secret of ["", "\ufeffafter a mark", "😀", ...samples])
        assert.strictEqual(yield* open(yield* seal(secret, context), context), secret)
    }).pipe((program) => run(program, first))
  )

  it.effect("never seals alike, and never in clear", () =>
    Effect.gen(function* () {
      const secret = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
      const envelopes = new Set<string>()
      for (let count = 0; count < 100; count++) {
        const text = String.fromCharCode(...(yield* seal(secret, context)))
        assert.notInclude(text, secret.slice(0, 4))
        envelopes.add(text)
      }
      assert.strictEqual(envelopes.size, 100)
    }).pipe((program) => run(program, first))
  )

  it.effect("never opens what differs in one bit: 2,000 flips", () =>
    Effect.gen(function* () {
      const random = makeRandom(20260304)
      for (let count = 0; count < 40; count++) {
        const secret = randomText(random, random(80))
        const envelope = yield* seal(secret, context)
        assert.strictEqual(yield* open(envelope, context), secret)
        for (let flip = 0; flip < 50; flip++)
          assert.isUndefined(yield* open(flipped(envelope, random(envelope.length * 8)), context))
      }
    }).pipe((program) => run(program, `${first},${second}`))
  )

  it.effect("never opens an envelope with any one of its bits flipped", () =>
    Effect.gen(function* () {
      const envelope = yield* seal("hunter2", context)
      for (let bit = 0; bit < envelope.length * 8; bit++)
        assert.isUndefined(yield* open(flipped(envelope, bit), context), `bit ${bit}`)
    }).pipe((program) => run(program, `${first},${second}`))
  )

  it.effect("never opens in another context: 2,000 swaps", () =>
    Effect.gen(function* () {
      const random = makeRandom(4032026)
      const fields = ["table", "field", "account_id", "workspace_id", "row_id"] as const
      // Words of one letter, so that places read the same once they are joined.
      const anyPlace = (): EncryptionContext =>
        Object.fromEntries(fields.map((field) => [field, "a".repeat(random(4))])) as unknown as EncryptionContext
      let swaps = 0
      while (swaps < 2_000) {
        const here = anyPlace()
        const envelope = yield* seal("hunter2", here)
        assert.strictEqual(yield* open(envelope, here), "hunter2")
        for (let other = 0; other < 50; other++) {
          const there = anyPlace()
          if (fields.every((field) => here[field] === there[field])) continue
          assert.isUndefined(yield* open(envelope, there))
          swaps++
        }
      }
    }).pipe((program) => run(program, first))
  )

  it.effect("never opens in another row, workspace, account, field or table", () =>
    Effect.gen(function* () {
      const envelope = yield* seal("hunter2", context)
      for (const field of Object.keys(context) as (keyof EncryptionContext)[]) {
        assert.isUndefined(yield* open(envelope, { ...context, [field]: `${context[field]}0` }))
        assert.isUndefined(yield* open(envelope, { ...context, [field]: context[field].toUpperCase() }))
        assert.isUndefined(yield* open(envelope, { ...context, [field]: "" }))
      }
    }).pipe((program) => run(program, first))
  )

  it.effect("refuses what is no envelope, and every part of one", () =>
    Effect.gen(function* () {
      const random = makeRandom(3)
      const envelope = yield* seal("hunter2", context)
      for (let length = 0; length < envelope.length; length++)
        assert.isUndefined(yield* open(envelope.subarray(0, length), context))
      assert.isUndefined(yield* open(Uint8Array.of(...envelope, 0), context))
      for (let count = 0; count < 500; count++) {
        const noise = Uint8Array.from({ length: random(80) }, () => random(256))
        noise[0] = 1
        assert.isUndefined(yield* open(noise, context))
      }
    }).pipe((program) => run(program, first))
  )

  it.effect("seals with the first key, and opens with every key that is still there", () =>
    Effect.gen(function* () {
      const old = yield* run(seal("hunter2", context), first)
      const rotated = `${second},${first}`
      const fresh = yield* run(seal("hunter2", context), rotated)
      assert.strictEqual(keyIdOf(old), "a")
      assert.strictEqual(keyIdOf(fresh), "c")
      assert.strictEqual(yield* run(open(old, context), rotated), "hunter2")
      assert.strictEqual(yield* run(open(fresh, context), rotated), "hunter2")
      assert.isUndefined(yield* run(open(old, context), second))
      assert.isUndefined(yield* run(open(old, context), `a:${keyOf(9)}`))
    })
  )
})
