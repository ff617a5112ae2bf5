/**
 * Limits on how often an API key may be used. Ours alone: the public API has none per key. Off until they are set.
 *
 * Rule: access#key-rate-limits. Admissions honour them.
 */
import * as z from "zod"
import { keyParams } from "./key.ts"
import { json, operation } from "./operation.ts"
import { dataOf } from "./primitives.ts"

/** No limit can be set higher. */
export const largestRate = 1_000_000_000

const limit = z.int().min(1).max(largestRate)

/** `null`: no such limit. */
export const KeyRateLimits = z
  .object({
    requests_per_minute: z.int().nullable(),
    tokens_per_minute: z.int().nullable(),
    /** Admissions that are neither settled, cancelled nor expired. */
    parallel_requests: z.int().nullable()
  })
  .meta({ id: "KeyRateLimits" })
export type KeyRateLimits = z.output<typeof KeyRateLimits>

export const PutKeyRateLimits = z
  .object({
    requests_per_minute: limit.nullish(),
    tokens_per_minute: limit.nullish(),
    parallel_requests: limit.nullish()
  })
  .meta({ id: "PutKeyRateLimits" })
export type PutKeyRateLimits = z.output<typeof PutKeyRateLimits>

const params = { hash: "c1a6cbb6ad0ebd72c7a4a1f1fa3ba7c7a3ccb0a9f6a35ea1d2f1e6ae53e6b3d4" }
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
