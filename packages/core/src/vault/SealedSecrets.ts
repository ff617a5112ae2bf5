/**
 * All encrypted secrets of a store, for key rotation and for checks, which cover all accounts.
 *
 * Rule: secrets#key-rotation.
 */
import { Context, type Effect } from "effect"
import type { SecretPlace } from "./Vault.ts"

/** The columns of encrypted values, as `table.field`. A new one is a row here and in every store. */
export const sealedFields = [
  "alert_channel.config",
  "audit_signature.sealed",
  "byok_credential.key",
  "dead_letter.bodies",
  "delivery.bodies",
  "destination.config",
  "erasure.request",
  "generation_content.bodies",
  "idempotency_record.answer"
] as const
export type SealedField = (typeof sealedFields)[number]

export interface SealedSecret {
  readonly place: SecretPlace
  readonly sealed: Uint8Array
}

export class SealedSecrets extends Context.Service<
  SealedSecrets,
  {
    /** The number of values of a field, and of those encrypted with another key than this one. */
    readonly count: (
      field: SealedField,
      primaryKeyId: string
    ) => Effect.Effect<{ readonly total: number; readonly behind: number }>
    /** Values in a stable order, after a position; with `notSealedBy` only those encrypted with another key. */
    readonly page: (
      field: SealedField,
      query: {
        readonly notSealedBy?: string | undefined
        readonly after?: SecretPlace | undefined
        readonly limit: number
      }
    ) => Effect.Effect<readonly SealedSecret[]>
    /**
     * Replaces each value that is unchanged by `resealed`, and answers the number of replacements. Skips values that were changed
     * meanwhile, and rows that are being written at this moment.
     */
    readonly replace: (
      field: SealedField,
      changes: readonly (SealedSecret & { readonly resealed: Uint8Array })[]
    ) => Effect.Effect<number>
  }
>()("gatewarden/SealedSecrets") {}
