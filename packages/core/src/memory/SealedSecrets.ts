import { Effect } from "effect"
import { contextOfChannelConfig } from "../alert/config.ts"
import { contextOfSignature } from "../audit/sealChanges.ts"
import { contextOfKey } from "../ports/byok.ts"
import { contextOfDeadBodies } from "../ports/deliveries.ts"
import { contextOfBodies, contextOfContent } from "../prompt/sealBodies.ts"
import { contextOfErasure } from "../erasure/erasure.ts"
import { contextOfAnswer } from "../ports/idempotency.ts"
import { contextOfConfig } from "../destination/config.ts"
import { compareText } from "../value/text.ts"
import { sameBytes } from "../value/bytes.ts"
import { type SealedField, type SealedSecret, SealedSecrets, sealedPageBytes } from "../ports/secrets.ts"
import { envelopePrefix, type EncryptionContext } from "../vault/Vault.ts"
import type { Tables } from "./tables/Tables.ts"

interface Kept extends SealedSecret {
  readonly put: (sealed: Uint8Array) => void
}

/** Every encrypted value of a field, with how to put another in its place. */
const kept: Readonly<Record<SealedField, (tables: Tables) => readonly Kept[]>> = {
  "alert_channel.config": ({ alertChannels }) =>
    Array.from(alertChannels.values(), (row) => ({
      context: contextOfChannelConfig(row.account_id, row.channel),
      sealed: row.sealed_config,
      put: (sealed_config) => void alertChannels.set(row.channel.id, { ...row, sealed_config })
    })),
  "audit_signature.sealed": ({ auditChains }) =>
    [...auditChains].flatMap(([account_id, chain]) => {
      const { signature: sealed } = chain
      if (sealed === null) return []
      const put = (signature: Uint8Array) => void (chain.signature = signature)
      return [{ context: contextOfSignature(account_id), sealed, put }]
    }),
  "byok_credential.key": ({ byokCredentials }) =>
    Array.from(byokCredentials.values(), (row) => ({
      context: contextOfKey(row.account_id, row),
      sealed: row.sealed_key,
      put: (sealed_key) => void byokCredentials.set(row.id, { ...row, sealed_key })
    })),
  "dead_letter.bodies": ({ deadLetters }) =>
    [...deadLetters].flatMap(([key, letter]) => {
      const { sealed_bodies: sealed } = letter
      if (sealed === null) return []
      const put = (sealed_bodies: Uint8Array) => void deadLetters.set(key, { ...letter, sealed_bodies })
      return [{ context: contextOfDeadBodies(letter), sealed, put }]
    }),
  "delivery.bodies": ({ deliveries }) =>
    [...deliveries.after(0)].flatMap((row) => {
      const { account_id, workspace_id, event_id, sealed_bodies: sealed } = row
      if (sealed === null) return []
      const put = (sealed_bodies: Uint8Array) => deliveries.replace({ ...row, sealed_bodies })
      return [{ context: contextOfBodies(account_id, workspace_id, event_id), sealed, put }]
    }),
  "destination.config": ({ destinations }) =>
    Array.from(destinations.values(), (row) => ({
      context: contextOfConfig(row.account_id, row.destination),
      sealed: row.sealed_config,
      put: (sealed_config) => void destinations.set(row.destination.id, { ...row, sealed_config })
    })),
  "erasure.request": ({ erasures }) =>
    [...erasures.values()].flatMap((row) => {
      const { id, account_id, sealed_request: sealed } = row
      if (sealed === null) return []
      const put = (sealed_request: Uint8Array) => void erasures.set(id, { ...row, sealed_request })
      return [{ context: contextOfErasure(account_id, id), sealed, put }]
    }),
  "generation_content.bodies": ({ generationContents }) =>
    [...generationContents].map(([key, row]) => ({
      context: contextOfContent(row.account_id, row.workspace_id, row.event_id),
      sealed: row.sealed_bodies,
      put: (sealed_bodies) => void generationContents.set(key, { ...row, sealed_bodies })
    })),
  "idempotency_record.answer": ({ idempotencyRecords }) =>
    [...idempotencyRecords].flatMap(([key, record]) => {
      const { scope, answer } = record
      if (answer === undefined) return []
      const put = (sealed: Uint8Array) => void idempotencyRecords.set(key, { ...record, answer: { ...answer, sealed } })
      return [{ context: contextOfAnswer(scope), sealed: answer.sealed, put }]
    })
}

const orderOf = ({ account_id, row_id }: EncryptionContext): string => `${account_id} ${row_id}`

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
      Effect.sync(() => {
        const found = (notSealedBy === undefined ? kept[field](tables) : behind(field, notSealedBy))
          .filter(({ context }) => after === undefined || compareText(orderOf(context), orderOf(after)) > 0)
          .sort((a, b) => compareText(orderOf(a.context), orderOf(b.context)))
        let bytes = 0
        const end = found.findIndex(({ sealed }) => {
          const isFull = bytes >= sealedPageBytes
          bytes += sealed.length
          return isFull
        })
        return found
          .slice(0, end === -1 ? limit : Math.min(end, limit))
          .map(({ context, sealed }) => ({ context, sealed }))
      }),
    replace: (field, changes) =>
      Effect.sync(() => {
        const rows = new Map(kept[field](tables).map((row) => [orderOf(row.context), row]))
        const current = changes.flatMap(({ context, sealed, resealed }) => {
          const row = rows.get(orderOf(context))
          return row !== undefined && sameBytes(row.sealed, sealed) ? [{ row, resealed }] : []
        })
        for (const { row, resealed } of current) row.put(resealed)
        return current.length
      })
  })
}
