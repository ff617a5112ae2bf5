/** How many memberships the mappings of an account may give. Rule: scim#memberships. */
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { quotaExceeded, usableQuota } from "../limits/requireQuota.ts"
import { timestamp } from "../value/calendar.ts"

const quota = "directory_memberships_per_account"

/** What a change by this caller may give. */
export const givingOf = Effect.fnUntraced(function* ({ key_hash }: Caller) {
  return { now: yield* timestamp, spared: key_hash, most_memberships: yield* usableQuota(quota, {}) }
})

export const tooManyMemberships = quotaExceeded(
  quota,
  {},
  "The mappings of this account would give too many memberships",
  "Remove mappings, or members of mapped groups"
)
