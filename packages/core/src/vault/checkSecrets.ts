import { Effect, Exit } from "effect"
import { type SealedField, sealedFields, SealedSecrets } from "./SealedSecrets.ts"
import { keyIdOf, type SecretPlace, Vault } from "./Vault.ts"

const batchSize = 500

/** What opens of all that is sealed, the ids of the keys that sealed it, and of those that sealed the rest. */
export interface SecretsCheck {
  readonly opened: number
  readonly unreadable: number
  readonly key_ids: readonly string[]
  readonly foreign_key_ids: readonly string[]
}

/** Opens sealed values of the given fields, `limit` of each at most, and tells how many of them the keyring opens. */
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
