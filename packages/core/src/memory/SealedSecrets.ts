import { Effect } from "effect"
import { placeOfKey } from "../byok/sealKey.ts"
import { placeOfAnswer } from "../idempotency/IdempotencyRecords.ts"
import { placeOfConfig } from "../observability/sealConfig.ts"
import { compareText } from "../value/compareText.ts"
import { sameBytes } from "../value/joinBytes.ts"
import { type SealedField, type SealedSecret, SealedSecrets } from "../vault/SealedSecrets.ts"
import { envelopePrefix, type SecretPlace } from "../vault/Vault.ts"
import type { Tables } from "./tables/Tables.ts"

interface Kept extends SealedSecret {
  readonly put: (sealed: Uint8Array) => void
}

/** Every encrypted value of a field, with how to put another in its place. */
const kept: Readonly<Record<SealedField, (tables: Tables) => readonly Kept[]>> = {
  "byok_credential.key": ({ byokCredentials }) =>
    Array.from(byokCredentials.values(), (row) => ({
      place: placeOfKey(row.account_id, row),
      sealed: row.sealed_key,
      put: (sealed_key) => void byokCredentials.set(row.id, { ...row, sealed_key })
    })),
  "destination.config": ({ destinations }) =>
    Array.from(destinations.values(), (row) => ({
      place: placeOfConfig(row.account_id, row.destination),
      sealed: row.sealed_config,
      put: (sealed_config) => void destinations.set(row.destination.id, { ...row, sealed_config })
    })),
  "idempotency_record.answer": ({ idempotencyRecords }) =>
    [...idempotencyRecords].flatMap(([key, record]) => {
      const { scope, answer } = record
      if (answer === undefined) return []
      const put = (sealed: Uint8Array) => void idempotencyRecords.set(key, { ...record, answer: { ...answer, sealed } })
      return [{ place: placeOfAnswer(scope), sealed: answer.sealed, put }]
    })
}

const orderOf = ({ account_id, row_id }: SecretPlace): string => `${account_id} ${row_id}`

const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)

export const sealedSecrets = (tables: Tables) => {
  const behind = (field: SealedField, keyId: string) => {
    const prefix = envelopePrefix(keyId)
    return kept[field](tables).filter(({ sealed }) => !startsWith(sealed, prefix))
  }
  return SealedSecrets.of({
    count: (field, primaryKeyId) =>
      Effect.sync(() => ({ total: kept[field](tables).length, behind: behind(field, primaryKeyId).length })),
    page: (field, { notSealedBy, after, limit }) =>
      Effect.sync(() =>
        (notSealedBy === undefined ? kept[field](tables) : behind(field, notSealedBy))
          .filter(({ place }) => after === undefined || compareText(orderOf(place), orderOf(after)) > 0)
          .sort((a, b) => compareText(orderOf(a.place), orderOf(b.place)))
          .slice(0, limit)
          .map(({ place, sealed }) => ({ place, sealed }))
      ),
    replace: (field, changes) =>
      Effect.sync(() => {
        const rows = new Map(kept[field](tables).map((row) => [orderOf(row.place), row]))
        const current = changes.flatMap(({ place, sealed, resealed }) => {
          const row = rows.get(orderOf(place))
          return row !== undefined && sameBytes(row.sealed, sealed) ? [{ row, resealed }] : []
        })
        for (const { row, resealed } of current) row.put(resealed)
        return current.length
      })
  })
}
