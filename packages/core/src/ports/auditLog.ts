import type { Action, Noun } from "@gatewarden/contract/internal"
import { Context, type Effect } from "effect"
import type { RecordedActor } from "./acting.ts"

export type Facts = Readonly<Record<string, unknown>>

export interface AuditEntry {
  /** Of the account's chain: 1 for its first change, then without gaps. */
  readonly position: number
  /** UTC, ISO 8601. */
  readonly at: string
  readonly noun: Noun
  readonly action: Action
  readonly entity: string
  readonly workspace_id: string | null
  readonly actor: RecordedActor
  /** `null` with the actor `database`. */
  readonly operation: string | null
  readonly request_id: string | null
  /** Public fields (`auditedFacts`); `null` before it was created, or after it was deleted. */
  readonly before: Facts | null
  readonly after: Facts | null
  /** SHA-256 over the hash before and the change, lowercase hex. */
  readonly hash: string
}

/** What an entry must match; absent: whatever. Times are UTC, ISO 8601: from the first inclusive, to the last exclusive. */
export interface AuditFilter {
  readonly actor?: string | undefined
  readonly noun?: Noun | undefined
  readonly entity?: string | undefined
  readonly operation?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface AuditPage {
  /** The latest first. */
  readonly entries: readonly AuditEntry[]
  /** Below which position the next page begins, which may be empty; undefined when every change was examined. */
  readonly next: number | undefined
}

/** Where the chain is broken: `edited` is a row that was edited or inserted, `missing` one that was removed. */
export interface AuditBreak {
  readonly position: number
  readonly problem: "edited" | "missing"
}

/** A change that is older than what is sealed and has no seal: it was inserted, or its seal was removed. It is not listed. */
export interface InsertedChange {
  readonly problem: "inserted"
  /** As they are in the row, which may be any. */
  readonly noun: string
  readonly action: string
  readonly entity: string
}

export interface AuditVerdict {
  /** Sealed changes that were looked at. */
  readonly verified: number
  /** Position and hash of the last one: kept elsewhere, they show later that nothing up to there was rewritten. */
  readonly head: { readonly position: number; readonly hash: string } | null
  /** How many were removed from the beginning of the chain, as retention does. Who removed them cannot be told. */
  readonly removed: number
  /** The first 100, by position; changes without one come last. */
  readonly broken: readonly (AuditBreak | InsertedChange)[]
}

/** What the keyring signs of a chain: its end, and the position at which it was signed for the first time. */
export interface SignedEnd {
  readonly position: number
  readonly hash: string
  readonly since: number
}

/** The end of a chain that was sealed after its last signature. */
export interface MovedEnd {
  readonly account_id: string
  readonly position: number
  readonly hash: string
  /** The last one (`signEnds`). */
  readonly signature: Uint8Array | null
}

/** An end with the signature that takes the place of `replaces`. */
export interface NewSignature extends Omit<MovedEnd, "signature"> {
  readonly signature: Uint8Array
  readonly replaces: Uint8Array | null
  /** What was signed before, which the chain must still have. */
  readonly follows: Pick<SignedEnd, "position" | "hash"> | undefined
}

/** The most changes that one call of `seal` seals. */
export const sealBatch = 1_000

/**
 * The most bytes of values before and after, as the store keeps them, that one page holds; a page of one entry may hold more. One entry is
 * twice an entity, and each field of an entity came in one body: 10 MiB for a guardrail all of whose lists are as long as can be.
 */
export const auditPageBytes = 4 * 1_048_576

/**
 * How many changes one page is searched for, whatever the filter: however long the log is, a page takes some milliseconds, and one that
 * ends early says where the next begins.
 */
export const auditExamined = 5_000

/** The most breaks that are listed. */
export const maxBroken = 100

/**
 * The stream of changes as a log to be audited: who changed what, before and after, in a chain of hashes per account.
 *
 * Sealing gives a change its position and hash: a background job seals every second, and whoever reads or verifies the log seals first.
 * Until then somebody who can write to the database can alter the change unnoticed; afterwards `verify` finds every edited, removed or
 * inserted row, as the keyring signs the end of each chain (`signEnds`). Rule: audit#audit-log, audit#verification.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /**
     * Sealed changes of the account: those that match among the latest `examined`, at most `limit` and `auditPageBytes`, but at least one;
     * `below`: only positions below it.
     */
    readonly list: (
      account_id: string,
      filter: AuditFilter,
      page: { readonly limit: number; readonly below: number | undefined; readonly examined: number }
    ) => Effect.Effect<AuditPage>
    /**
     * Seals the oldest unsealed changes, of one account or of all; answers how many: `sealBatch` when there may be more. In a host's
     * transaction that may only read, or sees nothing that others commit, none.
     */
    readonly seal: (account_id: string | undefined) => Effect.Effect<number>
    /** Ends that were sealed after their last signature, of one account or of all, at most `limit`. */
    readonly unsigned: (account_id: string | undefined, limit: number) => Effect.Effect<readonly MovedEnd[]>
    /**
     * Keeps each signature, unless the last one is no longer `replaces` or the chain no longer has what it `follows`. An end that is still
     * the same is not listed again, whether its signature was kept or not.
     */
    readonly sign: (signatures: readonly NewSignature[]) => Effect.Effect<void>
    /** The last signature of the account's chain. */
    readonly signature: (account_id: string) => Effect.Effect<Uint8Array | null>
    /** Recomputes the chain of the account and compares it with the end that was signed. */
    readonly verify: (
      account_id: string,
      signed?: Pick<SignedEnd, "position" | "hash"> | undefined
    ) => Effect.Effect<AuditVerdict>
  }
>()("gatewarden/AuditLog") {}
