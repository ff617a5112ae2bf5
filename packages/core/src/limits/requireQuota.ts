/**
 * Refuses writes that would exceed a storage quota.
 *
 * Concurrent writes may together exceed a quota by as many rows as there are writes in flight; versions of presets, and the bytes of
 * presets and of files, are exact.
 */
import { Context, Effect } from "effect"
import type { KeyKind } from "../ports/keys.ts"
import { type Oversized, type Quota, type QuotaState, type QuotaWindow, StoredAmounts } from "../ports/limits.ts"
import {
  type StorageLimits,
  type StoredQuotaName,
  defaultStorageLimits,
  storageQuotas,
  variableOf
} from "../ports/storageQuotas.ts"
import { BadRequest, invalid } from "../value/failure.ts"
import { dayMillis } from "../value/calendar.ts"
import type { Issue } from "@gatewarden/contract/internal"

export const StorageSettings = Context.Reference<StorageLimits>("gatewarden/StorageSettings", {
  defaultValue: () => defaultStorageLimits
})

const grouped = (amount: number): string => amount.toLocaleString("en-US")

interface Owner {
  readonly account_id: string
  readonly workspace_id?: string | null
  /** Of the key that writes. Absent: no API key writes. */
  readonly kind?: KeyKind
}

/**
 * The part of a quota that a caller may use up. API keys leave half to management keys: an app may have an API key, and what it stores
 * cannot be deleted, or not as fast as it comes. Rule: operating#storage-quotas.
 */
export const usableQuota = Effect.fnUntraced(function* (name: keyof StorageLimits, { kind }: Pick<Owner, "kind">) {
  const limit = (yield* StorageSettings)[name]
  return kind === "normal" ? Math.floor(limit / 2) : limit
})

/** 400 for a write that would exceed a quota, with the quota's name and the remedy. */
export const quotaExceeded = Effect.fnUntraced(function* (
  name: keyof StorageLimits,
  { kind }: Pick<Owner, "kind">,
  kept: string,
  remedy = "Delete what is not needed"
) {
  const limit = grouped((yield* StorageSettings)[name])
  const [share, way] = kind === "normal" ? [", and API keys may use half of it", ", use a management key"] : ["", ""]
  return yield* invalid(
    "quota_exceeded",
    "",
    `${kept}; the quota ${name} is ${limit}${share}. ${remedy}${way}, or have the operator raise ${variableOf(name)}`
  )
})

const keptBy = Effect.fnUntraced(function* (name: StoredQuotaName, { account_id, workspace_id = null }: Owner) {
  const { kind, owner, measure } = storageQuotas[name]
  const kept = yield* (yield* StoredAmounts).kept(account_id, owner === "workspace" ? workspace_id : null, kind)
  return kept[measure]
})

/** 400 for a write that the store itself found to exceed a quota. */
export const noRoom = Effect.fnUntraced(function* (name: StoredQuotaName, whose: Owner, remedy?: string) {
  const { owner, things } = storageQuotas[name]
  const kept = `This ${owner} keeps ${grouped(yield* keptBy(name, whose))} ${things}`
  return yield* quotaExceeded(name, whose, kept, remedy)
})

/** How much more the caller may store. Not above 0 if the quota is used up. */
export const roomIn = Effect.fnUntraced(function* (name: StoredQuotaName, whose: Owner) {
  return (yield* usableQuota(name, whose)) - (yield* keptBy(name, whose))
})

/** Fails with 400 `quota_exceeded` if `more` would exceed what the caller may use of the quota. `workspace_id` is for quotas of a workspace. */
export const requireQuota = Effect.fnUntraced(function* (
  name: StoredQuotaName,
  whose: Owner,
  more = 1,
  remedy?: string
) {
  if (more > (yield* roomIn(name, whose))) return yield* noRoom(name, whose, remedy)
})

/** Whether a request counts in the window that ends now. Epoch milliseconds. */
export const isInWindow = (window: QuotaWindow, at: number, now: number): boolean =>
  window.kind === "sliding" ? at > now - window.millis : at >= now - (now % dayMillis)

/** The remainder of a quota after the requests at `times`, oldest first. Epoch milliseconds. */
export const quotaState = ({ limit, window }: Quota, times: readonly number[], now: number): QuotaState => ({
  remaining: limit - times.length,
  resetsAt: window.kind === "sliding" ? (times[0] ?? now) + window.millis : now - (now % dayMillis) + dayMillis
})

/** The longest of the fields that the request sent: what its author shortens first. */
const longestOf = (sent: object): string => {
  const sizes = Object.entries(sent).map(([name, value]) => [name, (JSON.stringify(value) ?? "").length] as const)
  return sizes.reduce((most, one) => (one[1] > most[1] ? one : most), ["", -1] as const)[0]
}

/** `noun`: of the entity, as its author calls it. `sent`: the fields of the request. */
export const entityTooLarge = (noun: string, { oversized: bytes, most }: Oversized, sent: object) => {
  const issue: Issue = {
    path: longestOf(sent),
    code: "too_big",
    message: `The ${noun} would take ${grouped(bytes)} bytes as JSON; the limit is ${grouped(most)}. Shorten its lists and texts`
  }
  return new BadRequest({ reason: "invalid_request", issues: [issue] })
}
