import {
  type CreateKey,
  type Key,
  type KeyRateLimits,
  type UpdateKey,
  rowOfInterval
} from "@gatewarden/contract/internal"
import { Clock, Effect, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type ApiKey, type KeyChange, ApiKeys, unsetKey } from "../ports/keys.ts"
import { type KeyUsage, KeyUsageReader, noUsage } from "../ports/usage.ts"
import { timestamp } from "../value/calendar.ts"
import { BadRequest, notFound } from "../value/failure.ts"
import { parseUsd, usdNumber } from "../value/money.ts"
import { generateKey, keyLabel, numericKeyId } from "../access/keyFormat.ts"
import { sentFields } from "../value/sentFields.ts"

const leastBits = 80

/**
 * Whether a key that a host brings is easier to guess than 80 random bits, as far as its characters tell.
 *
 * Rule: access#keys-of-a-host. The estimate is Shannon's entropy of the characters, times their number; of a text that repeats itself, only one
 * repetition counts. 32 random decimal digits have about 100 bits. Words are not looked up.
 */
export const isGuessable = (key: string): boolean => bitsOf(key.slice(0, periodOf(key))) < leastBits

/** The length of the shortest text that, written again and again, is the whole. */
const periodOf = (text: string): number => `${text}${text}`.indexOf(text, 1)

const bitsOf = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits += count * Math.log2(text.length / count)
  return bits
}

type Given = Pick<ApiKey, "kind" | "account_id" | "workspace_id" | "name"> &
  Partial<Omit<ApiKey, "hash" | "label" | "created_at" | "updated_at">>

/** A new key, generated unless one is given, and the record that a store keeps of it. */
export const newApiKey = Effect.fnUntraced(function* (fields: Given, given?: Redacted.Redacted<string>) {
  const entropy = yield* Entropy
  const digest = yield* Digest
  const key = given ?? Redacted.make(generateKey(fields.kind, entropy.bytes))
  const record: ApiKey = {
    ...unsetKey,
    ...fields,
    hash: yield* digest.sha256Hex(Redacted.value(key)),
    label: keyLabel(Redacted.value(key)),
    created_at: yield* timestamp
  }
  return { key, record }
})

/** Of a key that nobody has limited. */
export const noKeyRateLimits: KeyRateLimits = {
  requests_per_minute: null,
  tokens_per_minute: null,
  parallel_requests: null
}

type Limited = Pick<ApiKey, "limit" | "limit_reset" | "include_byok_in_limit">

/**
 * A key's limit and what it has spent, as they are printed.
 *
 * Rule: access#key-limits. Sums are exact; only printing makes numbers of them.
 */
export const keySpending = (key: Limited, usage: KeyUsage) => ({
  limit: key.limit,
  limit_remaining: limitRemaining(key, usage),
  limit_reset: key.limit_reset,
  include_byok_in_limit: key.include_byok_in_limit,
  usage: usd(usage.credits.total),
  usage_daily: usd(usage.credits.day),
  usage_weekly: usd(usage.credits.week),
  usage_monthly: usd(usage.credits.month),
  byok_usage: usd(usage.byok.total),
  byok_usage_daily: usd(usage.byok.day),
  byok_usage_weekly: usd(usage.byok.week),
  byok_usage_monthly: usd(usage.byok.month)
})

/** The part of the limit that is neither spent nor held in the current window: `null` without a limit, 0 if it is used up or exceeded. */
const limitRemaining = (key: Limited, { credits, byok, held, byok_held }: KeyUsage): number | null => {
  if (key.limit === null) return null
  const window = rowOfInterval(key.limit_reset ?? "lifetime").unit ?? "total"
  const spent = credits[window] + held[window] + (key.include_byok_in_limit ? byok[window] + byok_held[window] : 0n)
  // What is read of a limit is printed as that limit, so most keys need no sum.
  if (spent === 0n) return key.limit
  const limit = parseUsd(key.limit)
  if (limit === undefined) return null
  return spent >= limit ? 0 : usd(limit - spent)
}

/** The public client accepts only numbers here, however large the amount. */
const usd = usdNumber

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

/**
 * The expiry of a new key. Rule: authorization#codes: one that is past is 400.
 *
 * The instant as it is stored; `null` for a key that does not expire.
 */
export const readExpiry = Effect.fnUntraced(function* (sent: string | null | undefined, path: string) {
  if (sent == null) return null
  if (Date.parse(sent) > (yield* Clock.currentTimeMillis)) return sent
  return yield* new BadRequest({
    reason: "invalid_request",
    issues: [{ path, code: "past", message: "Expected an instant in the future" }]
  })
})

/** An API key of the account. Management keys are not managed by hash. */
export const requireKey = Effect.fnUntraced(function* (caller: Caller, hash: string) {
  const [key] = yield* (yield* ApiKeys).list(caller.account_id, { kind: "normal", hashes: [hash] })
  return key ?? (yield* notFound())
})

/** What each of some keys has spent and holds until now. */
export const usageOfKeys = Effect.fnUntraced(function* (account_id: string, hashes: readonly string[]) {
  const reader = yield* KeyUsageReader
  const used = hashes.length === 0 ? undefined : yield* reader.usageOf(account_id, hashes)
  return (hash: string): KeyUsage => used?.get(hash) ?? noUsage
})

/** Rule: access#managing-keys, requests#patches. */
export const keyChange = (fields: UpdateKey): KeyChange =>
  sentFields(fields, ["limit", "limit_reset"], ["name", "disabled", "include_byok_in_limit"])

/** What the request of a new key sets, beside the fields that are checked first. */
export const createdKey = ({ name, limit, limit_reset, include_byok_in_limit }: CreateKey) => ({
  name,
  limit: limit ?? null,
  limit_reset: limit_reset ?? null,
  include_byok_in_limit: include_byok_in_limit ?? false
})
