/**
 * Everything that the vault has sealed for this store, wherever it is kept: for rotation and for checks, which know no accounts.
 *
 * Rule: secrets#key-rotation.
 */
import { Context, type Effect } from "effect"
import type { SecretPlace } from "./Vault.ts"

/** Where sealed values are kept, as their places name it: table, a dot, field. A new one is a row here and in every store. */
export const sealedFields = ["byok_credential.key", "destination.config", "idempotency_record.answer"] as const
export type SealedField = (typeof sealedFields)[number]

export interface SealedSecret {
  readonly place: SecretPlace
  readonly sealed: Uint8Array
}

export class SealedSecrets extends Context.Service<
  SealedSecrets,
  {
    /** How many values of a field there are, and how many of them were sealed by another key than this one. */
    readonly count: (
      field: SealedField,
      primaryKeyId: string
    ) => Effect.Effect<{ readonly total: number; readonly behind: number }>
    /** Values in a stable order, from after a place on; with `notSealedBy` only those that another key has sealed. */
    readonly page: (
      field: SealedField,
      query: {
        readonly notSealedBy?: string | undefined
        readonly after?: SecretPlace | undefined
        readonly limit: number
      }
    ) => Effect.Effect<readonly SealedSecret[]>
    /**
     * Puts `resealed` in the place of each value that is still the given one, and answers how many were: a value that was
     * changed meanwhile stays as it is, as does one whose row is being written at this moment.
     */
    readonly replace: (
      field: SealedField,
      changes: readonly (SealedSecret & { readonly resealed: Uint8Array })[]
    ) => Effect.Effect<number>
  }
>()("gatewarden/SealedSecrets") {}
