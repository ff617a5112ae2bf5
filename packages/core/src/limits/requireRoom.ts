/**
 * Refuses writes that would exceed a storage quota.
 *
 * Concurrent writes may together exceed a quota by as many rows as there are writes in flight; versions of a preset are exact.
 */
import { Context, Effect } from "effect"
import { invalid } from "../failure.ts"
import { StoredAmounts } from "./StoredAmounts.ts"
import {
  defaultStorageLimits,
  type StorageLimits,
  storageQuotas,
  type StoredQuotaName,
  variableOf
} from "./storageQuotas.ts"

export const StorageSettings = Context.Reference<StorageLimits>("gatewarden/StorageSettings", {
  defaultValue: () => defaultStorageLimits
})

const grouped = (amount: number): string => String(amount).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** 400 for a write that would exceed a quota, with the quota's name and the remedy. */
export const quotaExceeded = (
  name: keyof StorageLimits,
  limit: number,
  kept: string,
  remedy = "Delete what is not needed"
) =>
  invalid(
    "quota_exceeded",
    "",
    `${kept}; the quota ${name} is ${grouped(limit)}. ${remedy}, or have the operator raise ${variableOf(name)}`
  )

/** Fails with 400 `quota_exceeded` if `more` would exceed the quota. `workspace_id` is for quotas of a workspace. */
export const requireRoom = Effect.fnUntraced(function* (
  name: StoredQuotaName,
  { account_id, workspace_id = null }: { readonly account_id: string; readonly workspace_id?: string | null },
  more = 1,
  remedy?: string
) {
  const { kind, owner, measure, things } = storageQuotas[name]
  const limit = (yield* StorageSettings)[name]
  const kept = yield* (yield* StoredAmounts).kept(account_id, owner === "workspace" ? workspace_id : null, kind)
  if (kept[measure] + more > limit)
    return yield* quotaExceeded(name, limit, `This ${owner} keeps ${grouped(kept[measure])} ${things}`, remedy)
})
