/**
 * Limits on how often an API key may be used. Ours alone: the public API has none per key. Off until they are set.
 *
 * Rule: access#key-rate-limits. Admissions honour them.
 */
import * as z from "zod"
import { keyParams } from "./key.ts"
import { json, operation } from "./operation.ts"
import { dataOf } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  requests_per_minute: "Maximum number of admissions in any sixty seconds. `null`: no limit.",
  tokens_per_minute:
    "Maximum number of tokens in any sixty seconds. An admission counts the most that it may use, its settlement the actual number. `null`: no limit.",
  parallel_requests: "Maximum number of admissions that are not settled, cancelled or expired. `null`: no limit."
} as const

/** No limit can be set higher. */
export const largestRate = 1_000_000_000

const limit = z.int().min(1).max(largestRate)

export const KeyRateLimits = z
  .object({
    requests_per_minute: z.int().nullable().describe(about.requests_per_minute),
    tokens_per_minute: z.int().nullable().describe(about.tokens_per_minute),
    parallel_requests: z.int().nullable().describe(about.parallel_requests)
  })
  .meta({ id: "KeyRateLimits", description: "Rate limits of an API key." })
export type KeyRateLimits = z.output<typeof KeyRateLimits>

export const PutKeyRateLimits = z
  .object({
    requests_per_minute: limit.nullish().describe(about.requests_per_minute),
    tokens_per_minute: limit.nullish().describe(about.tokens_per_minute),
    parallel_requests: limit.nullish().describe(about.parallel_requests)
  })
  .meta({ id: "PutKeyRateLimits", description: "Rate limits to set. Absent limits stay, `null` clears a limit." })
export type PutKeyRateLimits = z.output<typeof PutKeyRateLimits>

const params = { hash: "894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a" }
const example: KeyRateLimits = { requests_per_minute: 60, tokens_per_minute: null, parallel_requests: 4 }

export const getKeyRateLimits = operation({
  id: "getKeyRateLimits",
  method: "GET",
  path: "/gateway/keys/:hash/rate-limits",
  tag: "Gateway",
  changes: "nothing",
  summary: "Get the rate limits of an API key",
  access: "managementKey",
  workspaceOf: "key",
  params: keyParams,
  success: { schema: dataOf(KeyRateLimits) },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { data: example } }
})

export const putKeyRateLimits = operation({
  id: "putKeyRateLimits",
  method: "PUT",
  path: "/gateway/keys/:hash/rate-limits",
  tag: "Gateway",
  changes: { noun: "key_rate_limits", action: "update" },
  summary: "Set rate limits of an API key",
  description: "Absent limits stay, `null` clears. Counts at once here, within two seconds on every other process.",
  access: "managementKey",
  workspaceOf: "key",
  params: keyParams,
  body: json(PutKeyRateLimits),
  success: { schema: dataOf(KeyRateLimits) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { requests_per_minute: 60, parallel_requests: 4 }, response: { data: example } }
})
