/**
 * API keys: bearer credentials that live in a workspace, each with an optional spending limit.
 *
 * Rule: access#managing-keys, access#current-key. The public client requires every field that is printed here.
 */
import * as z from "zod"
import { trimmedExternalUser } from "./externalUser.ts"
import { json, operation, optionalJson } from "./operation.ts"
import { ResetInterval } from "./interval.ts"
import { KeyRestrictions } from "./managementKey.ts"
import { dataOf, Deleted, instant, keyHash, page, queryFlag, Region, text, timestamp, usd, uuid } from "./primitives.ts"

/** The spending of a key, in USD: in total, and since UTC midnight, Monday and the first of the month. */
const spending = {
  /** Paid with the account's credits. */
  usage: z.number(),
  usage_daily: z.number(),
  usage_weekly: z.number(),
  usage_monthly: z.number(),
  /** Paid to upstream providers with the account's own credentials. */
  byok_usage: z.number(),
  byok_usage_daily: z.number(),
  byok_usage_weekly: z.number(),
  byok_usage_monthly: z.number()
}

/** The spending limit in USD; `limit_remaining` is the part that is left in the current window, never below 0. */
const limit = {
  limit: z.number().nullable(),
  limit_remaining: z.number().nullable(),
  /** `null`: the limit never resets. Otherwise at UTC midnight, on Mondays, on the first of the month. */
  limit_reset: ResetInterval.nullable(),
  include_byok_in_limit: z.boolean()
}

export const Key = z
  .object({
    hash: keyHash,
    /** Not in the public API: what `io_logging_api_key_ids` of a workspace names, the first 52 bits of the hash. */
    numeric_id: z.int(),
    name: z.string(),
    label: z.string(),
    workspace_id: uuid,
    disabled: z.boolean(),
    ...limit,
    ...spending,
    creator_user_id: z.string().nullable(),
    external_user: z.string().nullable(),
    expires_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp.nullable(),
    rotated_from_hash: keyHash
      .nullable()
      .describe("Always `null`: a rotation changes the secret of a key, and makes no key.")
  })
  .meta({ id: "Key" })
export type Key = z.output<typeof Key>

/**
 * The scope of a budget in `GET /key`, in the order in which the public API enforces them. Admissions name two of them otherwise:
 * `api_key` is their `key`, and `workspace` their `workspace_budget`.
 */
export const KeyBudgetScope = z.enum([
  "workspace_default_member",
  "workspace_default_key",
  "member",
  "api_key",
  "workspace",
  "key_limit"
])
export type KeyBudgetScope = z.output<typeof KeyBudgetScope>

/** A budget that the key spends from, in its current window. */
export const KeyBudget = z
  .object({
    scope: KeyBudgetScope,
    /** The id of the workspace's budget if the scope is `workspace`; otherwise `null`. */
    budget_id: uuid.nullable(),
    /** The guardrail that has the budget; `null` for `workspace` and `key_limit`. */
    guardrail_id: uuid.nullable(),
    /** Whether spending with the workspace's own credentials counts. */
    include_byok: z.boolean(),
    limit_usd: z.number(),
    spend_usd: z.number(),
    /** Not in the public API: held by admissions that are not settled yet. */
    held_usd: z.number(),
    /** `limit_usd` less `spend_usd` and `held_usd`. Negative if the budget is overdrawn. */
    remaining_usd: z.number(),
    /** `null`: the budget never resets. */
    reset_interval: ResetInterval.nullable(),
    /** The end of the current window; `null` if the budget never resets. */
    resets_at: timestamp.nullable()
  })
  .meta({ id: "KeyBudget" })
export type KeyBudget = z.output<typeof KeyBudget>

export const CurrentKey = z
  .object({
    label: z.string(),
    /** `null` for management keys, which act on every workspace and spend in none. */
    workspace_id: uuid.nullable(),
    /** The account that owns the key. */
    organization_id: uuid.nullable(),
    creator_user_id: z.string().nullable(),
    is_management_key: z.boolean(),
    /** Deprecated: the same as `is_management_key`. */
    is_provisioning_key: z.boolean(),
    is_free_tier: z.boolean(),
    ...limit,
    ...spending,
    /** Every budget that the key spends from; empty for keys that spend nothing, such as management keys. */
    budgets: z.array(KeyBudget),
    /** The budget with the least left; of several, the first. `null` without a budget. */
    effective_budget: KeyBudget.nullable(),
    /** Regions that the guardrails on the key leave open; empty when they leave none. */
    allowed_data_regions: z.array(Region),
    /** -1: without limit. */
    free_model_daily_requests: z.object({ limit: z.int(), remaining: z.int(), used: z.int() }),
    /** Deprecated: always -1. */
    rate_limit: z.object({ requests: z.int(), interval: z.string(), note: z.string() }),
    expires_at: timestamp.nullable(),
    /** What a management key is restricted to; `null` where it is not. */
    restrictions: KeyRestrictions.nullable()
  })
  .meta({ id: "CurrentKey" })
export type CurrentKey = z.output<typeof CurrentKey>

/** A key that a host issued itself. */
const givenKey = z.string().regex(/^[!-~]{32,256}$/, "Expected 32 to 256 visible ASCII characters")

export const CreateKey = z
  .object({
    name: text(1, 200),
    limit: usd.nullish(),
    limit_reset: ResetInterval.nullish(),
    include_byok_in_limit: z.boolean().nullish(),
    /** Later than now. */
    expires_at: instant().nullish(),
    workspace_id: uuid.nullish(),
    /** The user whose key it is. */
    creator_user_id: text(1, 256).nullish(),
    external: z
      .object({
        /** The host's own name for its end user. */
        user: trimmedExternalUser.describe(
          "Your name for the end user. Usage of the key is recorded under it, unless an event names another."
        ),
        /** The key itself, where the host has issued one already; otherwise a key is generated. */
        api_key: givenKey
          .meta({ writeOnly: true })
          .describe(
            "A key that you have issued: 32 to 256 visible ASCII characters, at random. Only its SHA-256 is stored."
          )
          .nullish()
      })
      .nullish()
  })
  .meta({ id: "CreateKey" })
export type CreateKey = z.output<typeof CreateKey>

export const UpdateKey = z
  .object({
    name: text(1, 200).optional(),
    disabled: z.boolean().nullish(),
    /** `null`: without limit. */
    limit: usd.nullish(),
    /** `null`: the limit never resets. */
    limit_reset: ResetInterval.nullish(),
    include_byok_in_limit: z.boolean().nullish()
  })
  .meta({ id: "UpdateKey" })
export type UpdateKey = z.output<typeof UpdateKey>

/** How many keys a page of their list has; it is not for the caller to choose. */
export const keysPerPage = 100

const unspent = {
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0
}

const example: Key = {
  hash: "c1a6cbb6ad0ebd72c7a4a1f1fa3ba7c7a3ccb0a9f6a35ea1d2f1e6ae53e6b3d4",
  numeric_id: 3406754023657707,
  name: "Batch jobs",
  label: "gw-v1-Vqk...d0R",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  disabled: false,
  limit: 25,
  limit_remaining: 25,
  limit_reset: "monthly",
  include_byok_in_limit: false,
  ...unspent,
  creator_user_id: "user-7",
  external_user: null,
  expires_at: null,
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: null,
  rotated_from_hash: null
}

export const createKey = operation({
  id: "createKey",
  method: "POST",
  path: "/keys",
  tag: "Keys",
  changes: { noun: "key", action: "create" },
  summary: "Create an API key",
  description:
    "The key is shown in this answer only; what is stored is its SHA-256. `external.api_key` is a key that you have issued yourself: it is taken over instead of generating one, and is never returned; `key` is then its masked `label`.",
  access: "managementKey",
  mintsKeys: true,
  workspaceOf: "named",
  body: json(CreateKey),
  success: { schema: z.object({ data: Key, key: z.string() }), creates: true },
  errors: [400, 401, 403, 500],
  example: {
    body: { name: "Batch jobs", limit: 25, limit_reset: "monthly", creator_user_id: "user-7" },
    response: { data: example, key: "gw-v1-VqkZr0mT5yXb2LwNcHs8DfJuPa3GeQi7KoRt1BvMzEx4YhWd0R" }
  }
})

const exampleBudget: KeyBudget = {
  scope: "key_limit",
  budget_id: null,
  guardrail_id: null,
  include_byok: false,
  limit_usd: 25,
  spend_usd: 12.5,
  held_usd: 0,
  remaining_usd: 12.5,
  reset_interval: "monthly",
  resets_at: "2026-02-01T00:00:00.000Z"
}

export const getCurrentKey = operation({
  id: "getCurrentKey",
  method: "GET",
  path: "/key",
  alias: "/auth/key",
  tag: "Keys",
  changes: "nothing",
  summary: "Get the key that makes the request",
  access: "anyKey",
  workspaceOf: "none",
  success: { schema: dataOf(CurrentKey) },
  errors: [401, 403, 500],
  example: {
    response: {
      data: {
        label: example.label,
        workspace_id: example.workspace_id,
        organization_id: "f3b0b7a2-6a5e-4d5e-8a7b-0f5f7a1c2d33",
        creator_user_id: example.creator_user_id,
        is_management_key: false,
        is_provisioning_key: false,
        is_free_tier: false,
        limit: 25,
        limit_remaining: 12.5,
        limit_reset: "monthly",
        include_byok_in_limit: false,
        ...unspent,
        usage: 40,
        usage_daily: 0.25,
        usage_weekly: 3,
        usage_monthly: 12.5,
        budgets: [exampleBudget],
        effective_budget: exampleBudget,
        allowed_data_regions: ["global", "europe", "us"],
        free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
        rate_limit: { requests: -1, interval: "10s", note: "Deprecated; there is no such limit." },
        expires_at: null,
        restrictions: null
      }
    }
  }
})

export const keyParams = z.object({ hash: keyHash })

export const listKeys = operation({
  id: "listKeys",
  method: "GET",
  path: "/keys",
  tag: "Keys",
  changes: "nothing",
  summary: "List the API keys of a workspace",
  description:
    "100 at a time, in the order of creation. Disabled keys are left out unless `include_disabled` is `true`. Management keys live in no workspace and are not listed.",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({ include_disabled: queryFlag, offset: page.offset, workspace_id: uuid.optional() }),
  success: { schema: z.object({ data: z.array(Key) }) },
  errors: [400, 401, 403, 500],
  example: { query: { include_disabled: "true" }, response: { data: [example] } }
})

export const getKey = operation({
  id: "getKey",
  method: "GET",
  path: "/keys/:hash",
  tag: "Keys",
  changes: "nothing",
  summary: "Get an API key by its hash",
  access: "managementKey",
  workspaceOf: "key",
  params: keyParams,
  success: { schema: dataOf(Key) },
  errors: [401, 403, 404, 500],
  example: { params: { hash: example.hash }, response: { data: example } }
})

export const updateKey = operation({
  id: "updateKey",
  method: "PATCH",
  path: "/keys/:hash",
  tag: "Keys",
  changes: { noun: "key", action: "update" },
  summary: "Update an API key",
  description:
    "Absent fields stay. Counts at once on the process that answers, within two seconds on every other. A limit below what was spent denies from then on.",
  access: "managementKey",
  workspaceOf: "key",
  params: keyParams,
  body: optionalJson(UpdateKey),
  success: { schema: dataOf(Key) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { hash: example.hash },
    body: { disabled: true, limit: 50.25, limit_reset: "weekly" },
    response: {
      data: {
        ...example,
        disabled: true,
        limit: 50.25,
        limit_remaining: 50.25,
        limit_reset: "weekly",
        updated_at: "2026-01-06T08:00:00.000Z"
      }
    }
  }
})

/** Seconds in 30 days. */
export const longestOverlap = 2_592_000

/** The overlap of a rotation without one: a day. */
export const defaultOverlap = 86_400

const overlap = z.int().min(0).max(longestOverlap)

export const RotateKey = z
  .object({
    overlap_seconds: overlap
      .optional()
      .describe(
        "How long the former secret opens the key as well; 0 ends it at once. Default: a day. At most 30 days."
      ),
    revoke_previous_after_seconds: overlap
      .nullable()
      .optional()
      .describe(
        "The same as `overlap_seconds`, by the name that the public API has for it. If you send both, they must be equal. `null`: the former secret opens the key until a later rotation ends it."
      )
  })
  .superRefine(({ overlap_seconds: ours, revoke_previous_after_seconds: theirs }, context) => {
    if (ours === undefined || theirs === undefined || ours === theirs) return
    const message = "Expected one overlap: overlap_seconds and revoke_previous_after_seconds mean the same and differ"
    for (const name of ["overlap_seconds", "revoke_previous_after_seconds"])
      context.addIssue({ code: "custom", path: [name], message })
  })
  .meta({ id: "RotateKey" })
export type RotateKey = z.output<typeof RotateKey>

/** What becomes of the secret that was the newest one until a rotation. The public client has a key of its own here. */
const FormerSecret = z.object({
  hash: keyHash.describe(
    "The hash of the key, which stays the same: `DELETE /keys/{hash}` deletes the key with its new secret."
  ),
  disabled: z.boolean().describe("Whether the rotation ended the former secret at once."),
  expires_at: timestamp
    .nullable()
    .describe(
      "When the former secret stops opening the key: the end of the overlap, or of the key if that is earlier. `null`: when a later rotation ends it."
    )
})

export const rotateKey = operation({
  id: "rotateKey",
  method: "POST",
  path: "/keys/:hash/rotate",
  tag: "Keys",
  changes: { noun: "key", action: "update" },
  summary: "Give an API key a new secret",
  description:
    "The new secret is shown in this answer only. It opens the key at once; the former secret does so until the overlap ends. `hash`, usage, limits and assignments of the key stay, and `label` shows the new secret. At most two former secrets open a key: a further rotation ends the oldest one at once, and none outlives a younger one.",
  access: "managementKey",
  mintsKeys: true,
  workspaceOf: "key",
  params: keyParams,
  body: optionalJson(RotateKey),
  success: { schema: z.object({ data: Key, key: z.string(), predecessor: FormerSecret }), creates: true },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { hash: example.hash },
    body: { overlap_seconds: 3600 },
    response: {
      data: { ...example, label: "gw-v1-Q7h...t2B", updated_at: "2026-01-06T08:00:00.000Z" },
      key: "gw-v1-Q7hLr2cW9pTyVd4NsKf6GbXz1JmAe3RuHo5QiEw8CxYt0t2B",
      predecessor: { hash: example.hash, disabled: false, expires_at: "2026-01-06T09:00:00.000Z" }
    }
  }
})

export const deleteKey = operation({
  id: "deleteKey",
  method: "DELETE",
  path: "/keys/:hash",
  tag: "Keys",
  changes: { noun: "key", action: "delete" },
  summary: "Delete an API key",
  description: "What was recorded of its use stays. `DELETE /gateway/management-keys/{hash}` revokes a management key.",
  access: "managementKey",
  workspaceOf: "key",
  params: keyParams,
  success: { schema: Deleted },
  errors: [401, 403, 404, 500],
  example: { params: { hash: example.hash }, response: { deleted: true } }
})
