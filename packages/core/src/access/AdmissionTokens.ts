/**
 * The id of an admission: signed, so that any process of the installation can settle an admission that it has not seen.
 *
 * 95 bytes as base64url, 127 characters, within the limit of a usage event's id: number of the signing key (1), random (8), account (16),
 * workspace (16), hash of the API key (32), expiry in seconds (5), flags (1), HMAC-SHA-256 truncated to 128 bits (16).
 * Rule: admissions#admission. Source: RFC 2104.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import * as Hex from "effect/encoding/Hex"
import { base64url, fromBase64url } from "../value/text.ts"
import { Digest, equalInConstantTime, hmac } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import type { Keyring, KeyringKey } from "../vault/Keyring.ts"

export interface AdmissionToken {
  readonly account_id: string
  readonly workspace_id: string
  readonly api_key_hash: string
  /** Epoch milliseconds, whole seconds. */
  readonly expires_at: number
  /** Money is held under this id. */
  readonly holds: boolean
  /** The admission counts against the rate limits of its key. */
  readonly counted: boolean
  /** Nothing of the request may be retained, so its bodies are not kept (Rule: usage#prompt-logging). */
  readonly forgets: boolean
  /**
   * The operator's side asked for it: the host in process, or a gateway key. Nobody else may settle it (Rule: admissions#who-settles). `false` for
   * ids that were signed before this was known.
   */
  readonly by_operator: boolean
  /**
   * The amount that is held was computed from the size of the request, so that it bounds the cost of usage within this size (Rule:
   * money#cost-of-usage). `false` for ids that were signed before this was known.
   */
  readonly is_bounded: boolean
}

const bodyLength = 79
const macLength = 16
const utf8 = new TextEncoder()

/** A loop, because this runs for each admission and a function for each byte takes three times as long. */
const fromHex = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16)
  return bytes
}
const fromUuid = (uuid: string): Uint8Array => fromHex(uuid.replaceAll("-", ""))
const toUuid = (bytes: Uint8Array): string =>
  Hex.encode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

export interface AdmissionSigner {
  readonly sign: (token: AdmissionToken) => Effect.Effect<string>
  /** Undefined for an id that this installation never signed. */
  readonly read: (id: string) => Effect.Effect<AdmissionToken | undefined>
}

/** The process that settles is mostly the one that admitted a moment before, so recently signed ids are not verified again. */
const rememberedTokens = 2_048

interface SigningKey {
  /** Identifies the key in the keyring, as far as one byte can. */
  readonly mark: number
  readonly key: Uint8Array
}

/** Secrets and signatures never share a key: the signing key is derived. */
const signingKey = Effect.fnUntraced(function* ({ id, key }: KeyringKey) {
  const { sha256 } = yield* Digest
  const mark = (yield* sha256(id))[0] ?? 0
  return { mark, key: yield* hmac(Redacted.value(key), utf8.encode("gatewarden/admission/1")) } satisfies SigningKey
})

const makeAdmissionSigner = Effect.fnUntraced(function* (keyring: Keyring) {
  const digest = yield* Digest
  const primary = yield* signingKey(keyring.primary)
  const all = yield* Effect.forEach(keyring.byId.values(), signingKey)
  const mac = (key: SigningKey, body: Uint8Array) =>
    Effect.map(Effect.provideService(hmac(key.key, body), Digest, digest), (full) => full.subarray(0, macLength))

  const signed = new Map<string, AdmissionToken>()
  const remember = (id: string, token: AdmissionToken): void => {
    if (signed.size >= rememberedTokens) signed.delete(signed.keys().next().value ?? "")
    signed.set(id, token)
  }

  const signer: AdmissionSigner = {
    sign: Effect.fnUntraced(function* (token) {
      const bytes = new Uint8Array(bodyLength + macLength)
      bytes[0] = primary.mark
      bytes.set((yield* Entropy).bytes(8), 1)
      bytes.set(fromUuid(token.account_id), 9)
      bytes.set(fromUuid(token.workspace_id), 25)
      bytes.set(fromHex(token.api_key_hash), 41)
      const view = new DataView(bytes.buffer)
      const seconds = Math.floor(token.expires_at / 1000)
      view.setUint8(73, Math.floor(seconds / 2 ** 32))
      view.setUint32(74, seconds % 2 ** 32)
      bytes[78] =
        (token.holds ? 1 : 0) +
        (token.counted ? 2 : 0) +
        (token.forgets ? 4 : 0) +
        (token.by_operator ? 8 : 0) +
        (token.is_bounded ? 16 : 0)
      bytes.set(yield* mac(primary, bytes.subarray(0, bodyLength)), bodyLength)
      const id = base64url(bytes)
      remember(id, { ...token, expires_at: seconds * 1000 })
      return id
    }),
    read: Effect.fnUntraced(function* (id) {
      const own = signed.get(id)
      if (own !== undefined) return own
      const bytes = fromBase64url(id)
      if (bytes === undefined || bytes.length !== bodyLength + macLength) return undefined
      const body = bytes.subarray(0, bodyLength)
      for (const key of all) {
        if (key.mark !== bytes[0]) continue
        if (!equalInConstantTime(yield* mac(key, body), bytes.subarray(bodyLength))) continue
        const view = new DataView(bytes.buffer, bytes.byteOffset)
        return {
          account_id: toUuid(bytes.subarray(9, 25)),
          workspace_id: toUuid(bytes.subarray(25, 41)),
          api_key_hash: Hex.encode(bytes.subarray(41, 73)),
          expires_at: (view.getUint8(73) * 2 ** 32 + view.getUint32(74)) * 1000,
          holds: ((bytes[78] ?? 0) & 1) === 1,
          counted: ((bytes[78] ?? 0) & 2) === 2,
          forgets: ((bytes[78] ?? 0) & 4) === 4,
          by_operator: ((bytes[78] ?? 0) & 8) === 8,
          is_bounded: ((bytes[78] ?? 0) & 16) === 16
        }
      }
      return undefined
    })
  }
  return signer
})

export class AdmissionTokens extends Context.Service<AdmissionTokens, AdmissionSigner>()(
  "gatewarden/AdmissionTokens"
) {}

export const layerAdmissionTokens = (keyring: Keyring) => Layer.effect(AdmissionTokens, makeAdmissionSigner(keyring))
