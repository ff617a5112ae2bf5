/**
 * Encrypts secrets at rest, each bound to the row and field in which it is stored.
 *
 * Rule: secrets#encryption. AES-256-GCM with a random 96-bit nonce; the envelope names its key, so keys can be rotated; the
 * associated data binds table, field, account, workspace and row, so a ciphertext that is copied elsewhere does not decrypt.
 *
 * Envelope: `0x01 | length of key id (1 byte) | key id | nonce (12) | ciphertext | tag (16)`.
 */
import { Context, Data, Effect, Layer, Redacted } from "effect"
import { inSlices } from "../value/inSlices.ts"
import { Cipher } from "../platform/Cipher.ts"
import { Entropy } from "../platform/Entropy.ts"
import { joinBytes, joiningBytes } from "../value/bytes.ts"
import type { Keyring } from "./Keyring.ts"

/** Where a secret is kept. */
export interface EncryptionContext {
  readonly table: string
  readonly field: string
  readonly account_id: string
  readonly workspace_id: string
  readonly row_id: string
}

/** The envelope cannot be decrypted: another key, another row, or it was altered. The error is the same for every cause. */
export class SecretUnreadable extends Data.TaggedError("SecretUnreadable")<{}> {}

export class Vault extends Context.Service<
  Vault,
  {
    readonly seal: (secret: Redacted.Redacted<string>, context: EncryptionContext) => Effect.Effect<Uint8Array>
    readonly open: (
      envelope: Uint8Array,
      context: EncryptionContext
    ) => Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>
    /** As `seal` and `open`, for the UTF-8 of a text of many MiB. */
    readonly sealBytes: (secret: Redacted.Redacted<Uint8Array>, context: EncryptionContext) => Effect.Effect<Uint8Array>
    readonly openBytes: (
      envelope: Uint8Array,
      context: EncryptionContext
    ) => Effect.Effect<Redacted.Redacted<Uint8Array>, SecretUnreadable>
    /** The id of the key that new secrets are encrypted with. */
    readonly primaryKeyId: string
  }
>()("gatewarden/Vault") {}

const version = 1
const nonceLength = 12
const tagLength = 16
const utf8 = new TextEncoder()
/** Keeps a byte order mark, which is a part of the secret. */
const text = new TextDecoder("utf-8", { ignoreBOM: true })

const mostBytesPerCharacter = 3

/** Length-prefixed, so that two places never have the same associated data. */
const associatedData = ({ table, field, account_id, workspace_id, row_id }: EncryptionContext): Uint8Array => {
  const parts = ["gatewarden/1", table, field, account_id, workspace_id, row_id]
  const most = parts.reduce((size, part) => size + 2 + part.length * mostBytesPerCharacter, 0)
  const bytes = new Uint8Array(most)
  let at = 0
  for (const part of parts) {
    const { written } = utf8.encodeInto(part, bytes.subarray(at + 2))
    bytes[at] = written >>> 8
    bytes[at + 1] = written & 255
    at += 2 + written
  }
  return bytes.subarray(0, at)
}

/** The prefix of every envelope of a key, and of no other. */
export const envelopePrefix = (keyId: string): Uint8Array => {
  const id = utf8.encode(keyId)
  return joinBytes([Uint8Array.of(version, id.length), id])
}

/** The id of the key that an envelope was encrypted with, undefined when it is no envelope. */
export const keyIdOf = (envelope: Uint8Array): string | undefined => {
  const length = envelope[1] ?? 0
  if (envelope[0] !== version || envelope.length < 2 + length + nonceLength + tagLength) return undefined
  return text.decode(envelope.subarray(2, 2 + length))
}

export const layerVault = (keyring: Keyring): Layer.Layer<Vault> =>
  Layer.effect(
    Vault,
    Effect.gen(function* () {
      const cipher = yield* Cipher
      const entropy = yield* Entropy
      const prefix = envelopePrefix(keyring.primary.id)
      const sealBytes: Vault["Service"]["sealBytes"] = Effect.fnUntraced(function* (secret, context) {
        const nonce = entropy.bytes(nonceLength)
        const key = Redacted.value(keyring.primary.key)
        const body = yield* cipher.encrypt(key, nonce, Redacted.value(secret), associatedData(context))
        return yield* inSlices(joiningBytes([prefix, nonce, body]))
      })
      const opened = Effect.fnUntraced(function* (envelope: Uint8Array, context: EncryptionContext) {
        const key = keyring.byId.get(keyIdOf(envelope) ?? "")
        if (key === undefined) return yield* new SecretUnreadable()
        const start = 2 + (envelope[1] ?? 0)
        const nonce = envelope.subarray(start, start + nonceLength)
        const body = envelope.subarray(start + nonceLength)
        const plain = yield* cipher.decrypt(Redacted.value(key.key), nonce, body, associatedData(context))
        return plain === undefined ? yield* new SecretUnreadable() : plain
      })
      return Vault.of({
        primaryKeyId: keyring.primary.id,
        seal: (secret, context) => sealBytes(Redacted.make(utf8.encode(Redacted.value(secret))), context),
        open: (envelope, context) =>
          Effect.map(opened(envelope, context), (plain) => Redacted.make(text.decode(plain))),
        sealBytes,
        openBytes: (envelope, context) => Effect.map(opened(envelope, context), Redacted.make)
      })
    })
  )
