/** SHA-256. WebCrypto by default; a platform with a synchronous digest gives a faster one. */
import { Context, Effect } from "effect"

export interface DigestFunctions {
  /** SHA-256 of bytes, or of the UTF-8 of a string. */
  readonly sha256: (data: string | Uint8Array) => Effect.Effect<Uint8Array>
  /** The same in lowercase hexadecimal. */
  readonly sha256Hex: (data: string | Uint8Array) => Effect.Effect<string>
}

const utf8 = new TextEncoder()

export const hex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0")
  return text
}

const webCrypto = (data: string | Uint8Array) =>
  Effect.map(
    Effect.promise(() =>
      crypto.subtle.digest("SHA-256", (typeof data === "string" ? utf8.encode(data) : data) as BufferSource)
    ),
    (digest) => new Uint8Array(digest)
  )

export const Digest = Context.Reference<DigestFunctions>("gatewarden/Digest", {
  defaultValue: () => ({ sha256: webCrypto, sha256Hex: (data) => Effect.map(webCrypto(data), hex) })
})
