/**
 * Rule: secrets#key-rotation. Rotation is online and resumable: the remaining work is the values that the primary key has not encrypted.
 */
import { Effect, Option } from "effect"
import { type SealedField, SealedSecrets } from "../ports/secrets.ts"
import { type SecretPlace, Vault } from "../vault/Vault.ts"

/** Small enough that a batch locks its rows only for milliseconds. */
const batchSize = 200

/**
 * Encrypts one batch of values with the primary key, after a position. Skips a value that changed meanwhile.
 *
 * `next`: the position of the following batch; undefined if there is none. `unreadable`: values that no key of the keyring decrypts.
 */
export const rewrapSecrets = Effect.fn("rewrapSecrets")(function* (field: SealedField, after: SecretPlace | undefined) {
  const vault = yield* Vault
  const secrets = yield* SealedSecrets
  const page = yield* secrets.page(field, { notSealedBy: vault.primaryKeyId, after, limit: batchSize })
  const opened = yield* Effect.forEach(page, (secret) =>
    Effect.map(Effect.option(vault.openBytes(secret.sealed, secret.place)), (bytes) => ({ ...secret, bytes }))
  )
  const changes = yield* Effect.forEach(
    opened.flatMap(({ bytes, ...secret }) => (Option.isSome(bytes) ? [{ ...secret, bytes: bytes.value }] : [])),
    ({ bytes, ...secret }) => Effect.map(vault.sealBytes(bytes, secret.place), (resealed) => ({ ...secret, resealed }))
  )
  return {
    rewrapped: changes.length === 0 ? 0 : yield* secrets.replace(field, changes),
    unreadable: page.length - changes.length,
    next: page.length < batchSize ? undefined : page.at(-1)?.place
  }
})
