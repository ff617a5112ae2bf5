import { Context, type Effect } from "effect"
import type { EncryptionContext } from "../vault/Vault.ts"

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

/** Stored bodies have up to a megabyte and a half each. */
export const sealedPageBytes = 2_000_000

export interface SealedSecret {
  readonly context: EncryptionContext
  readonly sealed: Uint8Array
}

/**
 * All encrypted secrets of a store, for key rotation and for checks, which cover all accounts.
 *
 * Rule: secrets#keyring-rotation.
 */
export class SealedSecrets extends Context.Service<
  SealedSecrets,
  {
    /** The number of values of a field, and of those encrypted with another key than this one. */
    readonly count: (
      field: SealedField,
      primaryKeyId: string
    ) => Effect.Effect<{ readonly total: number; readonly behind: number }>
    /**
     * Values in a stable order, after a position; with `notSealedBy` only those encrypted with another key. A page ends at `limit` values, or
     * with the value that makes it 2,000,000 bytes or more (`sealedPageBytes`). So only an empty page says that there are no more.
     */
    readonly page: (
      field: SealedField,
      query: {
        readonly notSealedBy?: string | undefined
        readonly after?: EncryptionContext | undefined
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

export interface AnnouncedProcess {
  /** Random, new for each instance. */
  readonly id: string
  /** The name of the machine; empty if the runtime does not tell it. */
  readonly host: string
  /** The process id; `null` if the runtime has none. */
  readonly pid: number | null
  /** The ids of its keys, the one that encrypts first. Never a key. */
  readonly key_ids: readonly string[]
}

export interface RunningProcess extends AnnouncedProcess {
  /** ISO 8601, by the clock of the store. */
  readonly started_at: string
}

/**
 * The running processes of an installation and the ids of their keys, so that a rotation finds a process whose keyring differs.
 *
 * A process repeats its announcement while it runs. The store's clock (`LedgerClock`) decides when an announcement ends.
 *
 * Rule: secrets#keyring-rotation.
 */
export class Processes extends Context.Service<
  Processes,
  {
    /** Writes the announcement, or extends it, to `seconds` from now. Removes announcements that have ended. */
    readonly announce: (process: AnnouncedProcess, seconds: number) => Effect.Effect<void>
    /** Removes the announcement of a process that ends. */
    readonly withdraw: (id: string) => Effect.Effect<void>
    /** Announcements that have not ended, the oldest process first. */
    readonly running: Effect.Effect<readonly RunningProcess[]>
  }
>()("gatewarden/Processes") {}
