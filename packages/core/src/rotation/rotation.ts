import { Effect, Exit, Option } from "effect"
import { Entropy } from "../platform/Entropy.ts"
import { ProcessName, withIdleTimers } from "../platform/ProcessName.ts"
import { Processes, type SealedField, SealedSecrets, sealedFields } from "../ports/secrets.ts"
import type { Keyring } from "../vault/Keyring.ts"
import { type EncryptionContext, Vault, keyIdOf } from "../vault/Vault.ts"

const announceEvery = "15 seconds"

/** Three announcements may fail before a process that runs is no longer listed. A killed process is listed for as long. */
export const announcedSeconds = 60

/**
 * Rule: secrets#keyring-rotation.
 *
 * Announces this process and the ids of its keys until the scope closes.
 */
export const announceKeyring = Effect.fn("announceKeyring")(function* (keyring: Keyring) {
  const processes = yield* Processes
  const id = (yield* Entropy).uuid()
  const { primary, byId } = keyring
  const key_ids = [primary.id, ...[...byId.keys()].filter((key) => key !== primary.id)]
  const announce = processes.announce({ id, ...(yield* ProcessName), key_ids }, announcedSeconds)
  yield* Effect.acquireRelease(announce, () => Effect.ignoreCause(processes.withdraw(id)))
  yield* Effect.sleep(announceEvery).pipe(
    Effect.andThen(Effect.ignoreCause(announce)),
    Effect.forever,
    Effect.withTracerEnabled(false),
    withIdleTimers,
    Effect.forkScoped
  )
})

const checkedAtOnce = 500

/** The number of secrets that can be decrypted, the ids of their keys, and the ids of the keys of the others. */
export interface SecretsCheck {
  readonly opened: number
  readonly unreadable: number
  readonly key_ids: readonly string[]
  readonly foreign_key_ids: readonly string[]
}

/** Decrypts values of the given fields, at most `limit` of each, and counts those that the keyring decrypts. */
export const checkSecrets = Effect.fn("checkSecrets")(function* (
  limit: number = Infinity,
  fields: readonly SealedField[] = sealedFields
) {
  const vault = yield* Vault
  const secrets = yield* SealedSecrets
  let opened = 0
  let unreadable = 0
  const keyIds = new Set<string>()
  const foreign = new Set<string>()

  const checkField = Effect.fnUntraced(function* (field: SealedField) {
    let after: EncryptionContext | undefined
    for (let seen = 0; seen < limit;) {
      const page = yield* secrets.page(field, { after, limit: Math.min(checkedAtOnce, limit - seen) })
      for (const { context, sealed } of page)
        if (Exit.isSuccess(yield* Effect.exit(vault.openBytes(sealed, context)))) {
          opened++
          keyIds.add(keyIdOf(sealed) ?? "none")
        } else {
          unreadable++
          foreign.add(keyIdOf(sealed) ?? "none")
        }
      if (page.length === 0) return
      seen += page.length
      after = page.at(-1)?.context
    }
  })
  yield* Effect.forEach(fields, checkField, { discard: true })
  return {
    opened,
    unreadable,
    key_ids: [...keyIds].sort(),
    foreign_key_ids: [...foreign].sort()
  } satisfies SecretsCheck
})

/** Small enough that a batch locks its rows only for milliseconds. */
const rewrappedAtOnce = 200

/**
 * Rule: secrets#keyring-rotation. Rotation is online and resumable: the remaining work is the values that the primary key has not
 * encrypted.
 *
 * Encrypts one batch of values with the primary key, after a position. Skips a value that changed meanwhile.
 *
 * `next`: the position of the following batch; undefined if there is none. `unreadable`: values that no key of the keyring decrypts.
 */
export const rewrapSecrets = Effect.fn("rewrapSecrets")(function* (
  field: SealedField,
  after: EncryptionContext | undefined
) {
  const vault = yield* Vault
  const secrets = yield* SealedSecrets
  const page = yield* secrets.page(field, { notSealedBy: vault.primaryKeyId, after, limit: rewrappedAtOnce })
  const opened = yield* Effect.forEach(page, (secret) =>
    Effect.map(Effect.option(vault.openBytes(secret.sealed, secret.context)), (bytes) => ({ ...secret, bytes }))
  )
  const changes = yield* Effect.forEach(
    opened.flatMap(({ bytes, ...secret }) => (Option.isSome(bytes) ? [{ ...secret, bytes: bytes.value }] : [])),
    ({ bytes, ...secret }) =>
      Effect.map(vault.sealBytes(bytes, secret.context), (resealed) => ({ ...secret, resealed }))
  )
  return {
    rewrapped: changes.length === 0 ? 0 : yield* secrets.replace(field, changes),
    unreadable: page.length - changes.length,
    next: page.at(-1)?.context
  }
})
