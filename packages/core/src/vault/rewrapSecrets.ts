/**
 * Rule: secrets#key-rotation. Rotation is online and resumable, because what is left to do is what the primary key has not sealed.
 */
import { Effect, Option } from "effect"
import { type SealedField, SealedSecrets } from "./SealedSecrets.ts"
import { type SecretPlace, Vault } from "./Vault.ts"

/** Few enough that a batch holds its rows for milliseconds only. */
const batchSize = 200

/**
 * Seals one batch of values anew with the primary key, from after a place on. A value that changed meanwhile is left as it is.
 *
 * `next` is where the following batch begins; undefined when there is none. `unreadable` values open with no key of the keyring.
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
