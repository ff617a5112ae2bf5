/**
 * What an erasure keeps of its request until it has ended: the name, and the salt of its pseudonyms, encrypted.
 *
 * A pseudonym is a keyed hash of the name under a random salt. The salt goes with the request, so nobody can compute the pseudonym of a name again.
 */
import { Effect, Redacted } from "effect"
import { Digest, hex } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { hmac } from "../platform/hmac.ts"
import { base64url, fromBase64url } from "../value/base64url.ts"
import { type SecretPlace, SecretUnreadable, Vault } from "../vault/Vault.ts"
import type { Person } from "../ports/erasures.ts"

export interface ErasureRequest extends Person {
  readonly salt: Uint8Array
}

const saltLength = 32
const pseudonymBytes = 16
const utf8 = new TextEncoder()

export const newErasureRequest = Effect.fnUntraced(function* ({ kind, name }: Person) {
  const request: ErasureRequest = { kind, name, salt: (yield* Entropy).bytes(saltLength) }
  return request
})

const pseudonym = (salt: Uint8Array, kind: string, value: string) =>
  Effect.map(
    hmac(salt, utf8.encode(`${kind}\0${value}`)),
    (digest) => `erased-${hex(digest.subarray(0, pseudonymBytes))}`
  )

export const pseudonymOf = ({ kind, name, salt }: ErasureRequest) => pseudonym(salt, kind, name)

export const pseudonymOfSession = ({ salt }: ErasureRequest, session_id: string) =>
  pseudonym(salt, "session", session_id)

/** The same for the same person of an account. */
export const digestOfPerson = Effect.fnUntraced(function* (account_id: string, { kind, name }: Person) {
  return yield* (yield* Digest).sha256Hex(JSON.stringify([account_id, kind, name]))
})

/** The table, field and row to which the ciphertext is bound. */
export const placeOfErasure = (account_id: string, id: string): SecretPlace => ({
  table: "erasure",
  field: "request",
  account_id,
  workspace_id: "",
  row_id: id
})

export const sealErasure = Effect.fnUntraced(function* (
  { kind, name, salt }: ErasureRequest,
  account_id: string,
  id: string
) {
  const text = JSON.stringify({ kind, name, salt: base64url(salt) })
  return yield* (yield* Vault).seal(Redacted.make(text), placeOfErasure(account_id, id))
})

/** Fails where no key of the keyring decrypts it. */
export const openErasure = Effect.fnUntraced(function* (sealed: Uint8Array, account_id: string, id: string) {
  const text = yield* (yield* Vault).open(sealed, placeOfErasure(account_id, id))
  const { kind, name, salt } = JSON.parse(Redacted.value(text)) as Person & { readonly salt: string }
  const bytes = fromBase64url(salt)
  if (bytes === undefined) return yield* new SecretUnreadable()
  const request: ErasureRequest = { kind, name, salt: bytes }
  return request
})
