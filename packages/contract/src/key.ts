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
import {
  createdAt,
  dataOf,
  Deleted,
  entriesOf,
  instant,
  inWorkspace,
  keyHash,
  ofWorkspace,
  page,
  queryFlag,
  Region,
  text,
  timestamp,
  updatedOrNever,
  usd,
  userId,
  uuid,
  workspaceId
} from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  include_byok_in_limit: "Whether spending with the account's own provider credentials counts in the limit.",
  hash: "SHA-256 of the API key, in hexadecimal. It identifies the key everywhere in this API.",
  name: "Name of the key.",
  label: "Masked rendering of the key, to recognize it.",
  disabled: "Whether the key is disabled. A disabled key is refused with 401.",
  creator_user_id: "Id of the user that the key belongs to. `null`: none.",
  expires_at: "Time when the key expires, in UTC. `null`: it does not expire."
} as const

/** The spending of a key, in USD: in total, and since UTC midnight, Monday and the first of the month. */
const spending = {
  usage: z.number().describe("USD spent in all, without spending on the account's own credentials."),
  usage_daily: z.number().describe("Part of `usage` since midnight, in UTC."),
  usage_weekly: z.number().describe("Part of `usage` since Monday, in UTC."),
  usage_monthly: z.number().describe("Part of `usage` since the first of the month, in UTC."),
  byok_usage: z.number().describe("USD that providers charged in all for requests with the account's own credentials."),
  byok_usage_daily: z.number().describe("Part of `byok_usage` since midnight, in UTC."),
  byok_usage_weekly: z.number().describe("Part of `byok_usage` since Monday, in UTC."),
  byok_usage_monthly: z.number().describe("Part of `byok_usage` since the first of the month, in UTC.")
}

/** The spending limit in USD; `limit_remaining` is the part that is left in the current window, never below 0. */
const limit = {
  limit: z.number().nullable().describe("Spending limit of the key in USD. `null`: no limit."),
  limit_remaining: z
    .number()
    .nullable()
    .describe("USD left of the limit in the current window, never below 0. `null`: no limit."),
  limit_reset: ResetInterval.nullable().describe(
    "Interval after which the limit resets: at midnight, on Mondays, on the first of the month, in UTC. `null`: it never resets."
  ),
  include_byok_in_limit: z.boolean().describe(about.include_byok_in_limit)
}

export const Key = z
  .object({
    hash: keyHash.describe(about.hash),
    numeric_id: z
      .int()
      .describe(
        "Number of the key, for `io_logging_api_key_ids` of a workspace: the first 52 bits of the hash. The public API has no such field."
      ),
    name: z.string().describe(about.name),
    label: z.string().describe(about.label),
    workspace_id: workspaceId,
    disabled: z.boolean().describe(about.disabled),
    ...limit,
    ...spending,
    creator_user_id: z.string().nullable().describe(about.creator_user_id),
    external_user: z.string().nullable().describe("Your name for the end user of the key. `null`: none."),
    expires_at: timestamp.nullable().describe(about.expires_at),
    created_at: createdAt,
    updated_at: updatedOrNever,
    rotated_from_hash: keyHash
      .nullable()
      .describe("Always `null`: a rotation changes the secret of a key, and makes no key.")
  })
  .meta({ id: "Key", description: "An API key with its limit and its spending." })
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

export const KeyBudget = z
  .object({
    scope: KeyBudgetScope.describe("Whose spending the budget limits, and where it comes from."),
    budget_id: uuid.nullable().describe("Id of the workspace's budget if the scope is `workspace`, otherwise `null`."),
    guardrail_id: uuid
      .nullable()
      .describe("Id of the guardrail that has the budget. `null` for the scopes `workspace` and `key_limit`."),
    include_byok: z.boolean().describe("Whether spending with the account's own provider credentials counts."),
    limit_usd: z.number().describe("Limit of the budget in USD."),
    spend_usd: z.number().describe("USD spent in the current window."),
    held_usd: z.number().describe("USD held by admissions that are not settled yet. The public API has no such field."),
    remaining_usd: z
      .number()
      .describe("`limit_usd` less `spend_usd` and `held_usd`. Negative: the budget is overdrawn."),
    reset_interval: ResetInterval.nullable().describe(
      "Interval after which the budget resets. `null`: it never resets."
    ),
    resets_at: timestamp.nullable().describe("End of the current window, in UTC. `null`: the budget never resets.")
  })
  .meta({ id: "KeyBudget", description: "A budget that the key spends from, in its current window." })
export type KeyBudget = z.output<typeof KeyBudget>

export const CurrentKey = z
  .object({
    label: z.string().describe(about.label),
    workspace_id: uuid
      .nullable()
      .describe(
        "Id of the workspace of the key. `null` for management keys, which act on every workspace and spend in none."
      ),
    organization_id: uuid.nullable().describe("Id of the account that owns the key."),
    creator_user_id: z.string().nullable().describe(about.creator_user_id),
    is_management_key: z.boolean().describe("Whether the key is a management key."),
    is_provisioning_key: z.boolean().describe("Deprecated: the same as `is_management_key`."),
    is_free_tier: z.boolean().describe("Always `false`: Gatewarden has no free tier."),
    ...limit,
    ...spending,
    budgets: z
      .array(KeyBudget)
      .describe("Every budget that the key spends from. Empty for keys that spend nothing, such as management keys."),
    effective_budget: KeyBudget.nullable().describe(
      "The budget with the least left, the first of several. `null`: no budget applies."
    ),
    allowed_data_regions: z
      .array(Region)
      .describe("Regions through which the guardrails of the key let requests come in. Empty: none."),
    free_model_daily_requests: z
      .object({
        limit: z.int().describe("Maximum number of requests a day. Always -1: no limit."),
        remaining: z.int().describe("Number of requests left today. Always -1: no limit."),
        used: z.int().describe("Number of counted requests today. Always 0.")
      })
      .describe("Daily requests to free models. Gatewarden has no such limit."),
    rate_limit: z
      .object({
        requests: z.int().describe("Deprecated: always -1."),
        interval: z.string().describe("Deprecated: length of the interval, without meaning."),
        note: z.string().describe("Deprecated: a note that there is no such limit.")
      })
      .describe("Deprecated: Gatewarden has no such limit."),
    expires_at: timestamp.nullable().describe(about.expires_at),
    restrictions: KeyRestrictions.nullable().describe("Restrictions of a management key. `null`: none.")
  })
  .meta({ id: "CurrentKey", description: "The key that makes the request, with its limits and budgets." })
export type CurrentKey = z.output<typeof CurrentKey>

/** A key that a host issued itself. */
const givenKey = z.string().regex(/^[!-~]{32,256}$/, "Expected 32 to 256 visible ASCII characters")

export const CreateKey = z
  .object({
    name: text(1, 200).describe(about.name),
    limit: usd.nullish().describe("Spending limit of the key in USD. `null` or absent: no limit."),
    limit_reset: ResetInterval.nullish().describe(
      "Interval after which the limit resets. `null` or absent: it never resets."
    ),
    include_byok_in_limit: z
      .boolean()
      .nullish()
      .describe("Whether spending with the account's own provider credentials counts in the limit. Default: `false`."),
    expires_at: instant()
      .nullish()
      .describe("Time when the key expires, later than now. `null` or absent: it does not expire."),
    workspace_id: inWorkspace,
    creator_user_id: userId
      .nullish()
      .describe("Id of the user that the key belongs to. The guardrail of the user applies to the key."),
    external: z
      .object({
        user: trimmedExternalUser.describe(
          "Your name for the end user. Usage of the key is recorded under it, unless an event names another."
        ),
        api_key: givenKey
          .meta({ writeOnly: true })
          .describe(
            "A key that you have issued: 32 to 256 visible ASCII characters, at random. Only its SHA-256 is stored."
          )
          .nullish()
      })
      .nullish()
      .describe("A key that you have issued yourself, and the end user of the key.")
  })
  .meta({ id: "CreateKey", description: "A new API key." })
export type CreateKey = z.output<typeof CreateKey>

export const UpdateKey = z
  .object({
    name: text(1, 200).optional().describe(about.name),
    disabled: z.boolean().nullish().describe(about.disabled),
    limit: usd.nullish().describe("Spending limit of the key in USD. `null`: no limit."),
    limit_reset: ResetInterval.nullish().describe("Interval after which the limit resets. `null`: it never resets."),
    include_byok_in_limit: z.boolean().nullish().describe(about.include_byok_in_limit)
  })
  .meta({ id: "UpdateKey", description: "Changes of an API key. Absent fields stay." })
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
  hash: "894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a",
  numeric_id: 2414614421889407,
  name: "Batch jobs",
  label: "gw-v1-nVx...lJN",
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
  success: {
    schema: z.object({
      data: Key,
      key: z.string().describe("The API key. It is shown once. If you sent `external.api_key`, its masked `label`.")
    }),
    creates: true
  },
  errors: [400, 401, 403, 500],
  example: {
    body: { name: "Batch jobs", limit: 25, limit_reset: "monthly", creator_user_id: "user-7" },
    response: { data: example, key: "gw-v1-nVxkMrIhqh7iRlPvogv2jbtPE2NBAIZFyFdBqywbJBu3ftlJN" }
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
  success: { schema: dataOf(CurrentKey), long: "usage" },
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

export const keyParams = z.object({ hash: keyHash.describe(about.hash) })

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
  query: z.object({
    include_disabled: queryFlag.describe("Whether disabled keys are listed, too."),
    offset: page.offset,
    workspace_id: ofWorkspace
  }),
  success: { schema: z.object({ data: entriesOf(Key) }), long: "usage" },
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
  success: { schema: dataOf(Key), long: "usage" },
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
      .describe("Seconds for which the former secret stays valid, at most 30 days. 0 ends it at once. Default: a day."),
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
  .meta({ id: "RotateKey", description: "How long the former secret stays valid." })
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
  success: {
    schema: z.object({
      data: Key,
      key: z.string().describe("The new secret of the API key. It is shown once."),
      predecessor: FormerSecret.describe("What becomes of the former secret.")
    }),
    creates: true
  },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { hash: example.hash },
    body: { overlap_seconds: 3600 },
    response: {
      data: { ...example, label: "gw-v1-i3F...41x", updated_at: "2026-01-06T08:00:00.000Z" },
      key: "gw-v1-i3FHTtUBqou2gMvtPuMzoSyBfFcIlVdhVpLYhbetLor4YV41x",
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
