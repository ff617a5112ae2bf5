import { Context, type Effect } from "effect"
import type { StoredKind } from "./storageQuotas.ts"

/** In any span of so many milliseconds, or from midnight to midnight UTC. */
export type QuotaWindow = { readonly kind: "sliding"; readonly millis: number } | { readonly kind: "utc_day" }

/** One count to check: at most `limit` in the window that ends now. */
export interface Quota {
  /** Names the counter: limit row and entity. */
  readonly bucket: string
  readonly limit: number
  readonly window: QuotaWindow
}

export interface QuotaState {
  readonly remaining: number
  /** Epoch milliseconds at which more becomes available: midnight, or when the oldest request leaves the window. */
  readonly resetsAt: number
}

export interface CountedRequest {
  readonly admitted: boolean
  /** In the order of the quotas. */
  readonly states: readonly QuotaState[]
  /** When it was decided, by the store's clock: epoch milliseconds. */
  readonly now: number
}

/** Exact request counts, shared by every process on one store and computed with the store's clock (`LedgerClock`). */
export class RequestCounts extends Context.Service<
  RequestCounts,
  {
    /** Counts one request against all quotas, or against none if one of them is used up. */
    readonly consume: (quotas: readonly Quota[]) => Effect.Effect<CountedRequest>
  }
>()("gatewarden/RequestCounts") {}

export interface StoredAmount {
  readonly rows: number
  readonly bytes: number
}

/** How much an account or a workspace stores of each kind, so that checking a quota counts no rows. */
export class StoredAmounts extends Context.Service<
  StoredAmounts,
  {
    /**
     * The amount of the account, or with a workspace the amount of that workspace, for credentials, files and versions of presets only. The
     * cost does not depend on the amount. Bytes are those of file contents, presets, stored responses and stored bodies; 0 for other kinds.
     */
    readonly kept: (account_id: string, workspace_id: string | null, kind: StoredKind) => Effect.Effect<StoredAmount>
  }
>()("gatewarden/StoredAmounts") {}

/**
 * How much work may be claimed, so that none of the accounts that share a process keeps the others waiting.
 *
 * Rule: observability#retries, alerts#attempts.
 *
 * What a claim may take. Without shares, one account may take it all.
 */
export interface WantedSlots {
  readonly most: number
  /** Of one account. */
  readonly ofAccount?: number
  /** The same, of accounts that hold slots already. */
  readonly ofHolders?: ReadonlyMap<string, number>
}

/** How much of it an account may take. */
export const shareOf = ({ most, ofAccount = most, ofHolders }: WantedSlots, account_id: string): number =>
  Math.min(most, ofHolders?.get(account_id) ?? ofAccount)

/** Accounts whose share is used up. */
export const withoutShare = ({ ofHolders }: WantedSlots): readonly string[] =>
  [...(ofHolders ?? [])].flatMap(([account_id, share]) => (share <= 0 ? [account_id] : []))

/**
 * Takes the first of each account, then the second of each, and so on, up to the share of each.
 *
 * @param waiting - In the order in which they became due.
 * @param wanted - What may be taken.
 * @returns What is taken, in the same order.
 * @example
 * ```ts
 * // Of 900 rows of one account and one of another, at most two of the first, and the other one.
 * takeFairly(rows, { most: 3, ofAccount: 2 })
 * ```
 */
export const takeFairly = <Row extends { readonly account_id: string }>(
  waiting: readonly Row[],
  wanted: WantedSlots
): readonly Row[] => {
  const places = new Map<string, number>()
  const placed = waiting.flatMap((row, index) => {
    const place = (places.get(row.account_id) ?? 0) + 1
    places.set(row.account_id, place)
    return place <= shareOf(wanted, row.account_id) ? [{ row, index, place }] : []
  })
  return placed
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .slice(0, wanted.most)
    .sort((a, b) => a.index - b.index)
    .map(({ row }) => row)
}

/** The most bytes of UTF-8 that the JSON of an entity's own fields takes. */
export const maxEntityBytes = 1_048_576

/** The same of a BYOK credential: a decision reads all of its workspace. */
export const maxCredentialBytes = 16_384

/** The same of a destination: an event that is recorded is compared with all of its workspace. */
export const maxDestinationBytes = 131_072

/** A write was refused, and nothing was written: the entity would take so many bytes, and may take `most`. */
export interface Oversized {
  readonly oversized: number
  readonly most: number
}

/** What the server sets. Ciphertexts are bounded by what they encrypt. */
const notOwn = new Set([
  "id",
  "account_id",
  "workspace_id",
  "label",
  "sort_order",
  "sealed_key",
  "created_at",
  "updated_at"
])

const utf8 = new TextEncoder()

/**
 * Bounds an entity as a whole: each of its lists has a bound of its own, and together they could still be many megabytes.
 *
 * Rule: requests#entity-sizes. Entities that were stored before the bound may be larger, and may be changed as long as they do not grow.
 *
 * The bytes of the fields that requests set.
 */
export const entityBytes = (entity: object): number =>
  utf8.encode(JSON.stringify(Object.fromEntries(Object.entries(entity).filter(([name]) => !notOwn.has(name))))).length

/** Refuses an entity above the bound. `before`: the stored entity that the write changes; its size is accepted again. */
export const oversized = (
  before: object | undefined,
  after: object,
  most: number = maxEntityBytes
): Oversized | undefined => {
  const bytes = entityBytes(after)
  if (bytes <= most || (before !== undefined && bytes <= entityBytes(before))) return undefined
  return { oversized: bytes, most }
}

/** Tells a refusal from the other outcomes of a port. */
export const isOversized = <A>(outcome: A): outcome is Extract<A, Oversized> =>
  typeof outcome === "object" && outcome !== null && "oversized" in outcome
