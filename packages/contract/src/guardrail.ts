/**
 * Guardrails: policies on providers, models, data regions, retention, content and spend.
 *
 * Rule: guardrails#lists-of-a-guardrail, guardrails#zero-data-retention.
 */
import * as z from "zod"
import { ResetInterval } from "./interval.ts"
import { dataOf, Deleted, distinct, listOf, page, Region, text, timestamp, usd, uuid } from "./primitives.ts"
import { json, operation, optionalJson } from "./operation.ts"

export const FilterAction = z.enum(["block", "redact", "flag"])
export type FilterAction = z.output<typeof FilterAction>

/** What to do with a request that has a part which no content filter can read, such as an image or a file. */
export const UnscannableAction = z.enum(["allow", "block"])
export type UnscannableAction = z.output<typeof UnscannableAction>

/** The builtin filters by slug, with the placeholder that `redact` inserts. Rule: content-filters#builtins. */
export const contentFilterBuiltins = {
  email: { label: "[EMAIL]", name: "Email address", finds: "e-mail addresses" },
  phone: { label: "[PHONE]", name: "Phone number", finds: "phone numbers" },
  ssn: { label: "[SSN]", name: "Social Security number", finds: "US social security numbers" },
  "credit-card": { label: "[CREDIT_CARD]", name: "Credit card number", finds: "card numbers" },
  "ip-address": { label: "[IP_ADDRESS]", name: "IP address", finds: "IP addresses" },
  secrets: { label: "[SECRET]", name: "Secret", finds: "API keys and other credentials" },
  "person-name": { label: "[PERSON_NAME]", name: "Person name", finds: "names of persons (needs Presidio)" },
  address: { label: "[ADDRESS]", name: "Address", finds: "places, with an adjoining street line (needs Presidio)" },
  "regex-prompt-injection": {
    label: "[PROMPT_INJECTION]",
    name: "Prompt injection",
    finds: "phrases that try to override instructions"
  }
} as const
export type BuiltinSlug = keyof typeof contentFilterBuiltins
export const BuiltinSlug = z.enum(Object.keys(contentFilterBuiltins) as [BuiltinSlug, ...BuiltinSlug[]])

export const ContentFilterBuiltin = z.object({
  slug: BuiltinSlug,
  action: FilterAction,
  label: z.string(),
  scan_scope: z.enum(["user_only", "all_messages"]).optional()
})
export type ContentFilterBuiltin = z.output<typeof ContentFilterBuiltin>

export const ContentFilter = z.object({ pattern: z.string(), action: FilterAction, label: z.string() })
export type ContentFilter = z.output<typeof ContentFilter>

/** What `redact` inserts for a custom filter without a label. */
export const customFilterLabel = "[REDACTED]"

/** The vendor groups of zero-data-retention enforcement, each a field `enforce_zdr_<group>`. */
export const zdrGroups = ["anthropic", "openai", "google", "xai", "other"] as const
export type ZdrGroup = (typeof zdrGroups)[number]

const nameList = z.array(z.string()).nullable()

export const Guardrail = z
  .object({
    id: uuid,
    workspace_id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    allowed_data_regions: z.array(Region).nullable(),
    allowed_models: nameList,
    allowed_providers: nameList,
    ignored_models: nameList,
    ignored_providers: nameList,
    content_filter_builtins: z.array(ContentFilterBuiltin).nullable(),
    content_filters: z.array(ContentFilter).nullable(),
    content_filter_unscannable: UnscannableAction,
    enable_free_model_publication: z.boolean(),
    enable_free_model_training: z.boolean(),
    enable_paid_model_training: z.boolean(),
    enforce_zdr: z.boolean().nullable(),
    enforce_zdr_anthropic: z.boolean(),
    enforce_zdr_openai: z.boolean(),
    enforce_zdr_google: z.boolean(),
    enforce_zdr_xai: z.boolean(),
    enforce_zdr_other: z.boolean(),
    include_byok_in_budgets: z.boolean(),
    limit_usd: z.number().nullable(),
    reset_interval: ResetInterval.nullable(),
    created_at: timestamp,
    updated_at: timestamp.nullable()
  })
  .meta({ id: "Guardrail" })
export type Guardrail = z.output<typeof Guardrail>

const names = distinct(text(1, 256), 1000).nullish()
const label = text(0, 100).nullish()
const flag = z.boolean().nullish()

const writable = {
  name: text(1, 200),
  description: text(0, 1000).nullish(),
  allowed_data_regions: distinct(Region, 1000).nullish(),
  allowed_models: names,
  allowed_providers: names,
  ignored_models: names,
  ignored_providers: names,
  content_filter_builtins: z
    .array(
      z.object({
        slug: BuiltinSlug,
        action: FilterAction,
        label,
        scan_scope: z.enum(["user_only", "all_messages"]).nullish()
      })
    )
    .min(1)
    .max(100)
    .nullish(),
  content_filters: z
    .array(z.object({ pattern: text(1, 10_000), action: FilterAction, label }))
    .min(1)
    .max(100)
    .nullish(),
  /** `block`: a request with an image, a file, audio or video is refused, because no filter can read it. Default: `allow`. */
  content_filter_unscannable: UnscannableAction.nullish(),
  enable_free_model_publication: flag,
  enable_free_model_training: flag,
  enable_paid_model_training: flag,
  enforce_zdr: flag,
  enforce_zdr_anthropic: flag,
  enforce_zdr_openai: flag,
  enforce_zdr_google: flag,
  enforce_zdr_xai: flag,
  enforce_zdr_other: flag,
  include_byok_in_budgets: flag,
  limit_usd: usd.nullish(),
  reset_interval: ResetInterval.nullish()
}

/** `limit_usd` and `reset_interval` go together; an interval without a limit has no meaning (Rule: guardrails#spending-limit). */
const limitPair = <
  S extends z.ZodType<{ limit_usd?: number | null | undefined; reset_interval?: string | null | undefined }>
>(
  schema: S
) =>
  schema.superRefine((value, context) => {
    const limit = value.limit_usd
    const interval = value.reset_interval
    const isHalf = (limit === undefined) !== (interval === undefined)
    if (isHalf || (limit === null && typeof interval === "string"))
      context.addIssue({
        code: "custom",
        path: [interval === undefined ? "reset_interval" : "limit_usd"],
        params: { code: "limit_reset_pair", reason: "limit_reset_pair" },
        message: isHalf
          ? "limit_usd and reset_interval are sent together or not at all; a limit that never resets has a reset_interval of null"
          : "reset_interval needs a limit: send a number as limit_usd, or null for both"
      })
  })

export const CreateGuardrail = limitPair(z.object({ ...writable, workspace_id: uuid.nullish() })).meta({
  id: "CreateGuardrail"
})
export type CreateGuardrail = z.output<typeof CreateGuardrail>

export const UpdateGuardrail = limitPair(z.object({ ...writable, name: text(1, 200).optional() })).meta({
  id: "UpdateGuardrail"
})
export type UpdateGuardrail = z.output<typeof UpdateGuardrail>

/** A warning about an accepted write: an allowed or ignored name that matches nothing in the catalog. */
export const GuardrailWarning = z
  .object({
    /** The path in the request's body: `ignored_models.0`. */
    path: z.string(),
    code: z.enum(["unknown_model", "unknown_provider"]),
    message: z.string()
  })
  .meta({ id: "GuardrailWarning" })
export type GuardrailWarning = z.output<typeof GuardrailWarning>

/** `warnings` only where there are any. */
const WrittenGuardrail = z.object({ data: Guardrail, warnings: z.array(GuardrailWarning).optional() })

const example: Guardrail = {
  id: "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  name: "Production",
  description: "European endpoints, fifty dollars a day",
  allowed_data_regions: ["europe"],
  allowed_models: null,
  allowed_providers: ["openai", "anthropic"],
  ignored_models: null,
  ignored_providers: null,
  content_filter_builtins: [{ slug: "email", action: "redact", label: "[EMAIL]" }],
  content_filters: [{ pattern: "acct-[0-9]{6}", action: "block", label: "[REDACTED]" }],
  content_filter_unscannable: "allow",
  enable_free_model_publication: true,
  enable_free_model_training: true,
  enable_paid_model_training: false,
  enforce_zdr: null,
  enforce_zdr_anthropic: false,
  enforce_zdr_openai: false,
  enforce_zdr_google: false,
  enforce_zdr_xai: false,
  enforce_zdr_other: false,
  include_byok_in_budgets: false,
  limit_usd: 50,
  reset_interval: "daily",
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: null
}

export const guardrailParams = z.object({ id: uuid })

export const createGuardrail = operation({
  id: "createGuardrail",
  method: "POST",
  path: "/guardrails",
  tag: "Guardrails",
  changes: { noun: "guardrail", action: "create" },
  summary: "Create a guardrail",
  description:
    "The guardrail enforces nothing until it is assigned to API keys or members. A name in `ignored_models` or `ignored_providers` that covers nothing in the catalog is accepted and told in `warnings`.",
  access: "managementKey",
  workspaceOf: "named",
  body: json(CreateGuardrail),
  success: { schema: WrittenGuardrail, creates: true },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      name: "Production",
      description: "European endpoints, fifty dollars a day",
      allowed_data_regions: ["europe"],
      allowed_providers: ["openai", "anthropic"],
      content_filter_builtins: [{ slug: "email", action: "redact" }],
      content_filters: [{ pattern: "acct-[0-9]{6}", action: "block" }],
      enable_paid_model_training: false,
      limit_usd: 50,
      reset_interval: "daily"
    },
    response: { data: example }
  }
})

export const getGuardrail = operation({
  id: "getGuardrail",
  method: "GET",
  path: "/guardrails/:id",
  tag: "Guardrails",
  changes: "nothing",
  summary: "Get a guardrail",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  success: { schema: dataOf(Guardrail) },
  errors: [401, 403, 404, 500],
  example: { params: { id: example.id }, response: { data: example } }
})

export const updateGuardrail = operation({
  id: "updateGuardrail",
  method: "PATCH",
  path: "/guardrails/:id",
  tag: "Guardrails",
  changes: { noun: "guardrail", action: "update" },
  summary: "Update a guardrail",
  description:
    "Absent fields stay, `null` clears, lists are replaced. With the id of a workspace's default guardrail it is stored at its first update.",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  body: optionalJson(UpdateGuardrail),
  success: { schema: WrittenGuardrail },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: { limit_usd: 75.5, reset_interval: "weekly", allowed_providers: null },
    response: {
      data: {
        ...example,
        limit_usd: 75.5,
        reset_interval: "weekly",
        allowed_providers: null,
        updated_at: "2026-01-06T08:00:00.000Z"
      }
    }
  }
})

export const listGuardrails = operation({
  id: "listGuardrails",
  method: "GET",
  path: "/guardrails",
  tag: "Guardrails",
  changes: "nothing",
  summary: "List the guardrails of a workspace",
  description: "The workspace's default guardrail is among them once it was updated.",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({ ...page, workspace_id: uuid.optional() }),
  success: { schema: listOf(Guardrail) },
  errors: [400, 401, 403, 500],
  example: { query: { limit: "10" }, response: { data: [example], total_count: 1 } }
})

export const deleteGuardrail = operation({
  id: "deleteGuardrail",
  method: "DELETE",
  path: "/guardrails/:id",
  tag: "Guardrails",
  changes: { noun: "guardrail", action: "delete" },
  summary: "Delete a guardrail with its assignments",
  description: "The default guardrail of a workspace cannot be deleted.",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: example.id }, response: { deleted: true } }
})
