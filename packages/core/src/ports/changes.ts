import type { Action, Noun } from "@gatewarden/contract/internal"
import { Context, Effect, type Option } from "effect"
import { timestamp } from "../value/calendar.ts"
import type { Retained } from "./retention.ts"

/**
 * `key`: an API key, `id` is its hash. `user`: a user whom the host authenticated, `id` is the host's name for the user. `app`: whoever
 * exchanged an authorization code. `host`: the host's own call of the library. `operator`: the command line. `server`: Gatewarden
 * itself, when it starts or does background work.
 */
export type ActorKind = "key" | "user" | "app" | "host" | "operator" | "server"

export interface Actor {
  readonly type: ActorKind
  readonly id: string | null
}

/**
 * Who changes what, while an operation runs: the store writes it beside each change, in the transaction of the change.
 *
 * A change that is made while nobody acts, as with `psql`, is recorded with the actor `database`.
 */
export interface Acting {
  readonly actor: Actor
  /** Of the table of operations, or a command's name. */
  readonly operation: string
  readonly request_id: string | null
  /** When the operation began; UTC, ISO 8601. */
  readonly at: string
}

/** Several operations whose writes share a statement, by the id of what each changes. */
export interface ActingEach {
  readonly each: ReadonlyMap<string, Acting>
}

export const Acts = Context.Reference<Acting | ActingEach | undefined>("gatewarden/Acts", {
  defaultValue: () => undefined
})

/** Runs work that changes something in the name of an actor, from now on. */
export const actingAs = <A, E, R>(
  { actor, operation, request_id = null }: Pick<Acting, "actor" | "operation"> & Partial<Acting>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(timestamp, (at) => Effect.provideService(work, Acts, { actor, operation, request_id, at }))

const server: Actor = { type: "server", id: null }

/** What Gatewarden changes by itself: `start`, or the name of a background job. */
export const asServer = <A, E, R>(operation: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  actingAs({ actor: server, operation }, work)

/** `database`: nobody acted through Gatewarden, as with a statement in `psql`. */
export interface RecordedActor {
  readonly type: ActorKind | "database"
  readonly id: string | null
}

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

/** Which entity changed. A cache that holds it asks anew. */
export interface Change {
  /** `null`: the installation's catalog, which belongs to no account. */
  readonly account_id: string | null
  readonly noun: Noun
  /**
   * The hash of a key, also for its assignment and its rate limits; the user of a member; the slug of a preset; the interval of a
   * budget; nothing for a catalog; otherwise the id.
   */
  readonly id: string
  /** The workspace that the entity lives in, or is; `null` where it lives in none. */
  readonly workspace_id: string | null
}

/** `everything`: there were too many to tell, or nothing is known of what came before. */
export type Changes = readonly Change[] | "everything"

export interface ChangesRead {
  /** Where to read on: only the store knows what it means. */
  readonly position: string
  readonly changes: Changes
}

/** More than these are not told one by one. */
export const maxChanges = 1_000

/**
 * The stream of changes: what was configured, by whom, before and after. The store appends a row in the transaction of the change, so a
 * change that is committed is in the stream, and one that was rolled back is not.
 *
 * Caches read it by position and forget what changed; the audit log (`AuditLog`) lists the same rows.
 * Rule: access#changes-take-effect.
 */
export class ChangeLog extends Context.Service<
  ChangeLog,
  {
    /**
     * Each change that became visible after the position was read, once, whatever the order in which they were begun; `everything`
     * without a position.
     */
    readonly since: (position: string | undefined) => Effect.Effect<ChangesRead>
    /**
     * Tells the other processes that there may be something to read, soon: whoever announces waits for nothing, and many
     * announcements become one. It may be lost. To be called after the commit.
     */
    readonly announce: Effect.Effect<void>
    /**
     * Runs `onAnnounced` whenever another process has announced something, once for many that come together, for as long as it
     * is let. Ends at once where nobody can be heard.
     */
    readonly hear: (onAnnounced: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("gatewarden/ChangeLog") {}

/** Deletes what is no longer needed, installation-wide: sweeps of the retention table, and other upkeep of a store. */
export class Retention extends Context.Service<
  Retention,
  {
    /** Deletes rows that ended longer ago than this, a bounded batch of them. Answers how many; 0 when none is left. */
    readonly sweep: (what: Retained, olderThanSeconds: number, atMost: number) => Effect.Effect<number>
    /** Gives back what expired holds still hold, of one account or a few. Answers how many holds; 0 when none is left. */
    readonly releaseExpiredHolds: (atMost: number) => Effect.Effect<number>
    /** Merges the sums of days that no window needs apart, so that an entity that spends no more has one row. Answers how many rows; 0 when none is left. */
    readonly mergeSpending: (atMost: number) => Effect.Effect<number>
    /** Sums days of usage for rankings, a few at a time, not those that are older than what is kept. Answers how many; 0 when none is left. */
    readonly foldRankings: (atMost: number, keptSeconds: number) => Effect.Effect<number>
  }
>()("gatewarden/Retention") {}

/** One run of a job by one holder. */
export interface JobTurn {
  readonly job: string
  /** Grows with each turn. A turn with an older token has lost its lease. */
  readonly token: number
  /** Runs that failed in a row before this one. */
  readonly failures: number
}

export interface JobState {
  readonly job: string
  /** Epoch milliseconds. */
  readonly due_at: number
  /** The end of the lease; `null` while nobody holds the job. */
  readonly lease_until: number | null
  /** When the last run began; `null` before the first. */
  readonly began_at: number | null
  /** When the last run that did not fail ended. */
  readonly succeeded_at: number | null
  /** Runs that failed in a row until now. */
  readonly failures: number
  /** Where a consumer reads on; `null` for jobs that read no stream. */
  readonly position: string | null
}

export type Claimed =
  | { readonly turn: JobTurn }
  /** Nothing can be claimed now. Milliseconds until the first of the jobs is due and free. */
  | { readonly turn: undefined; readonly wait_millis: number }

export interface Finish {
  readonly failed: boolean
  readonly due_in_seconds: number
}

/** What a transaction of a turn comes to. `position`: where the consumer reads on, if it moves. */
export interface Committed<A> {
  readonly value: A
  readonly position?: string
}

/**
 * Leases of background jobs: one holder at a time in the installation, fenced by a token that grows with each holder.
 *
 * The store's clock decides what is due and when a lease ends (`LedgerClock`). A job whose holder dies stays due, so another process
 * takes it over as soon as the lease has ended.
 *
 * Rule: operating#background-jobs.
 */
export class BackgroundJobs extends Context.Service<
  BackgroundJobs,
  {
    /** Takes the lease of one of the jobs that are due and free, the one that is due for the longest time. */
    readonly claim: (jobs: readonly string[], leaseSeconds: number) => Effect.Effect<Claimed>
    /** Extends the lease. `false`: another holder has taken the job over. */
    readonly renew: (turn: JobTurn, leaseSeconds: number) => Effect.Effect<boolean>
    /**
     * Runs work in one transaction with the check of the token and the new position: all of it happens, or nothing. The work receives the
     * position. None, and nothing happens, when the lease is lost. No other process takes the job over while the transaction is open.
     */
    readonly commit: <A, E, R>(
      turn: JobTurn,
      work: (position: string | null) => Effect.Effect<Committed<A>, E, R>
    ) => Effect.Effect<Option.Option<A>, E, R>
    /** Gives the lease back and sets when the job is due again. `false`: the lease was lost before. */
    readonly finish: (turn: JobTurn, finish: Finish) => Effect.Effect<boolean>
    /** All jobs that were ever claimed, by name, and the instant that they are judged by, in epoch milliseconds. */
    readonly states: Effect.Effect<{ readonly now: number; readonly jobs: readonly JobState[] }>
  }
>()("gatewarden/BackgroundJobs") {}
