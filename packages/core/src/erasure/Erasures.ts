/** Jobs that erase persons, and the steps by which a store does them. Rule: access#erasures. */
import type { ErasureObstacle } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { Change } from "../stream/ChangeLog.ts"
import type { HistoryPlace } from "../usage/UsageHistory.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import type { Person } from "./personalTables.ts"

/**
 * `usage`: events, first to last. `rows`: sums, configuration and what else has the name. `late`: events once more, for those that were recorded
 * behind the first walk. `rest`: as `rows`, for what came in meanwhile.
 */
export const erasureSteps = ["usage", "rows", "late", "rest"] as const
export type ErasureStep = (typeof erasureSteps)[number]

export interface Erasure {
  readonly id: string
  readonly kind: Person["kind"]
  readonly pseudonym: string
  readonly status: "queued" | "running" | "waiting" | "succeeded"
  readonly in_the_way: readonly ErasureObstacle[]
  /** Rows that were changed, by table. */
  readonly erased: Readonly<Record<string, number>>
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

export interface ErasureDraft extends Pick<Erasure, "id" | "kind" | "pseudonym" | "created_at"> {
  /** Who it is, and the salt of the pseudonyms, encrypted (`sealErasure`). */
  readonly sealed_request: Uint8Array
  /** The same for the same person of the account: a person has one job at a time. */
  readonly request_digest: string
}

/** An erasure that is not finished, and where it goes on. */
export interface DueErasure extends Pick<Erasure, "id" | "kind" | "pseudonym"> {
  readonly account_id: string
  readonly step: ErasureStep
  /** The event that was walked past last; undefined before the first. */
  readonly place: HistoryPlace | undefined
  readonly sealed_request: Uint8Array
}

export interface NamedEvent {
  readonly id: string
  readonly session_id: string | null
}

/** A stretch of usage: the events of it that name the person, and its end, undefined where usage ends. */
export interface WalkedUsage {
  readonly events: readonly NamedEvent[]
  readonly last: HistoryPlace | undefined
}

/** One bounded step. */
export type ErasureWork =
  | { readonly does: "wait"; readonly in_the_way: readonly ErasureObstacle[]; readonly until: string }
  /** Names of these events are replaced, sessions become `session_id`; the next step begins where `walked.last` is undefined. */
  | { readonly does: "events"; readonly person: Person; readonly walked: WalkedUsage }
  /** Rows of every other table, at most so many of each. When none is left, the next step begins, or the job has succeeded. */
  | { readonly does: "rows"; readonly person: Person; readonly atMost: number }

export class Erasures extends Context.Service<
  Erasures,
  {
    /** The job of the same digest that is not finished; else this one. `full`: as many as there may be are not finished. */
    readonly start: (account_id: string, draft: ErasureDraft, most: number) => Effect.Effect<Erasure | "full">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<Erasure>>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<Erasure>>
    /** The job of the installation that is due for the longest time. */
    readonly due: (now: string) => Effect.Effect<Option.Option<DueErasure>>
    /** What could still act in the person's name, or is being recorded of it. */
    readonly inTheWay: (account_id: string, person: Person, now: string) => Effect.Effect<readonly ErasureObstacle[]>
    /** Examines at most so many events behind a place. */
    readonly walk: (
      account_id: string,
      person: Person,
      place: HistoryPlace | undefined,
      examined: number
    ) => Effect.Effect<WalkedUsage>
    /**
     * Does a step and keeps how far the job is, all or nothing; answers what it changed of configuration. The log of changes tells that it was
     * changed, and none of its values. Nothing happens where the job has ended.
     */
    readonly advance: (
      account_id: string,
      id: string,
      work: ErasureWork,
      now: string
    ) => Effect.Effect<readonly Change[]>
  }
>()("gatewarden/Erasures") {}

/** The step behind one; undefined behind the last. */
export const stepAfter = (step: ErasureStep): ErasureStep | undefined => erasureSteps[erasureSteps.indexOf(step) + 1]

/** Sums of rows by table. */
export const addErased = (
  before: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>
): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = { ...before }
  for (const [table, count] of Object.entries(more)) if (count > 0) sums[table] = (sums[table] ?? 0) + count
  return sums
}
