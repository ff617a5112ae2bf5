import { Effect, Exit } from "effect"
import { type SealedField, SealedSecrets, sealedFields } from "../ports/secrets.ts"
import { type SecretPlace, Vault, keyIdOf } from "../vault/Vault.ts"

const batchSize = 500

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
    let after: SecretPlace | undefined
    for (let seen = 0; seen < limit;) {
      const page = yield* secrets.page(field, { after, limit: Math.min(batchSize, limit - seen) })
      for (const { place, sealed } of page)
        if (Exit.isSuccess(yield* Effect.exit(vault.openBytes(sealed, place)))) {
          opened++
          keyIds.add(keyIdOf(sealed) ?? "none")
        } else {
          unreadable++
          foreign.add(keyIdOf(sealed) ?? "none")
        }
      if (page.length === 0) return
      seen += page.length
      after = page.at(-1)?.place
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
