import type { Key } from "@gatewarden/contract"
import type { KeyUsage } from "../ports/usage.ts"
import { type ApiKey, numericKeyId } from "../ports/keys.ts"
import { keySpending } from "./keySpending.ts"

/** An API key as management keys see it. Management keys themselves live in no workspace and are not printed so. */
export const printedKey = (key: ApiKey, usage: KeyUsage): Key => {
  const spending = keySpending(key, usage)
  // Field by field: a spread into the middle makes the object grow, which costs a list of a hundred more than all of its sums.
  return {
    hash: key.hash,
    numeric_id: numericKeyId(key.hash),
    name: key.name,
    label: key.label,
    workspace_id: key.workspace_id ?? "",
    disabled: key.disabled,
    limit: spending.limit,
    limit_remaining: spending.limit_remaining,
    limit_reset: spending.limit_reset,
    include_byok_in_limit: spending.include_byok_in_limit,
    usage: spending.usage,
    usage_daily: spending.usage_daily,
    usage_weekly: spending.usage_weekly,
    usage_monthly: spending.usage_monthly,
    byok_usage: spending.byok_usage,
    byok_usage_daily: spending.byok_usage_daily,
    byok_usage_weekly: spending.byok_usage_weekly,
    byok_usage_monthly: spending.byok_usage_monthly,
    creator_user_id: key.creator_user_id,
    external_user: key.external_user,
    expires_at: key.expires_at,
    created_at: key.created_at,
    updated_at: key.updated_at,
    rotated_from_hash: null
  }
}
