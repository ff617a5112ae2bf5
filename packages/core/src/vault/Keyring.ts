/**
 * The keys that secrets are encrypted with: the first is primary and encrypts, every one decrypts.
 *
 * Rule: secrets#keyring, secrets#keyring-rotation.
 */
import { Redacted } from "effect"

export interface KeyringKey {
  readonly id: string
  /** 32 bytes. */
  readonly key: Redacted.Redacted<Uint8Array>
}

export interface Keyring {
  readonly primary: KeyringKey
  readonly byId: ReadonlyMap<string, KeyringKey>
}

const idPattern = /^[A-Za-z0-9._-]{1,64}$/

/** Reads `<id>:<base64 of 32 bytes>[,<id>:…]`; error messages never contain key material. */
export const parseKeyring = (text: string): { readonly keyring: Keyring } | { readonly problem: string } => {
  const byId = new Map<string, KeyringKey>()
  for (const [index, entry] of text.split(",").entries()) {
    const nth = `entry ${index + 1}`
    const colon = entry.indexOf(":")
    const id = entry.slice(0, Math.max(colon, 0)).trim()
    if (!idPattern.test(id)) return { problem: `${nth} needs an id of letters, digits, ".", "_" or "-" before a colon` }
    if (byId.has(id)) return { problem: `${nth} repeats the id "${id}"` }
    const key = fromBase64(entry.slice(colon + 1).trim())
    if (key?.length !== 32) return { problem: `${nth} ("${id}") is not the base64 of 32 bytes` }
    byId.set(id, { id, key: Redacted.make(key) })
  }
  const primary = byId.values().next().value
  return primary === undefined ? { problem: "it is empty" } : { keyring: { primary, byId } }
}

/** The textual form of a keyring with one new key. */
export const newKeyring = (id: string, random: (size: number) => Uint8Array): Redacted.Redacted<string> =>
  Redacted.make(`${id}:${btoa(String.fromCharCode(...random(32)))}`)

const fromBase64 = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
