/** AES-256-GCM. WebCrypto by default; a platform with a synchronous cipher gives a faster one. */
import { Context, Effect } from "effect"

export interface CipherFunctions {
  /** Ciphertext followed by the 16-byte tag. Key 32 bytes, nonce 12 bytes. */
  readonly encrypt: (
    key: Uint8Array,
    nonce: Uint8Array,
    plaintext: Uint8Array,
    associated: Uint8Array
  ) => Effect.Effect<Uint8Array>
  /** Undefined if key, nonce, ciphertext, tag and associated data do not match. */
  readonly decrypt: (
    key: Uint8Array,
    nonce: Uint8Array,
    ciphertext: Uint8Array,
    associated: Uint8Array
  ) => Effect.Effect<Uint8Array | undefined>
}

const imported = (key: Uint8Array) =>
  crypto.subtle.importKey("raw", key as BufferSource, "AES-GCM", false, ["encrypt", "decrypt"])

const parameters = (nonce: Uint8Array, associated: Uint8Array) =>
  ({ name: "AES-GCM", iv: nonce as BufferSource, additionalData: associated as BufferSource, tagLength: 128 }) as const

export const Cipher = Context.Reference<CipherFunctions>("gatewarden/Cipher", {
  defaultValue: () => ({
    encrypt: (key, nonce, plaintext, associated) =>
      Effect.promise(async () => {
        const sealed = await crypto.subtle.encrypt(
          parameters(nonce, associated),
          await imported(key),
          plaintext as BufferSource
        )
        return new Uint8Array(sealed)
      }),
    decrypt: (key, nonce, ciphertext, associated) =>
      Effect.promise(async () => {
        try {
          const opened = await crypto.subtle.decrypt(
            parameters(nonce, associated),
            await imported(key),
            ciphertext as BufferSource
          )
          return new Uint8Array(opened)
        } catch {
          return undefined
        }
      })
  })
})
