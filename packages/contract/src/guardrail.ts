/**
 * Guardrails: policies on providers, models, data regions, retention, content and spend.
 *
 * Rule: guardrails#required-name, guardrails#lists-of-a-guardrail, guardrails#zero-data-retention.
 */
import * as z from "zod"
import { ResetInterval } from "./interval.ts"
import {
  createdAt,
  dataOf,
  Deleted,
  distinct,
  inWorkspace,
  listOf,
  ofWorkspace,
  page,
  Region,
  text,
  updatedOrNever,
  usd,
  uuid,
  workspaceId
} from "./primitives.ts"
import { json, operation, optionalJson } from "./operation.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  slug: "Slug of the predefined filter.",
  action: "`block` refuses the request, `redact` replaces the text, `flag` only records the finding.",
  label: "Text that `redact` inserts in place of the finding.",
  pattern: "Regular expression in RE2 syntax.",
  id: "Id of the guardrail.",
  name: "Name of the guardrail.",
  description: "Description for people. `null`: none.",
  allowed_data_regions: "Regions through which requests may come in. `null`: all regions.",
  allowed_models: "Models that requests may use, by slug or canonical slug. `null`: all models.",
  allowed_providers: "Slugs of providers that may serve requests, in exact case. `null`: all providers.",
  ignored_models:
    "Models that requests may not use, by slug or canonical slug. A slug without a variant covers all its variants. `null`: none.",
  ignored_providers: "Providers that may not serve requests, by slug, name or endpoint tag, in any case. `null`: none.",
  content_filter_builtins: "Predefined content filters that apply. `null`: none.",
  content_filters: "Content filters with patterns of your own. `null`: none.",
  enable_free_model_publication: "Whether free endpoints that publish prompts may be used.",
  enable_free_model_training: "Whether free endpoints that train on prompts may be used.",
  enable_paid_model_training: "Whether paid endpoints that train on prompts may be used.",
  enforce_zdr_anthropic: "Whether Anthropic's own endpoints must guarantee zero data retention.",
  enforce_zdr_openai: "Whether OpenAI's own endpoints must guarantee zero data retention.",
  enforce_zdr_google: "Whether Google's own endpoints must guarantee zero data retention.",
  enforce_zdr_xai: "Whether xAI's own endpoints must guarantee zero data retention.",
  enforce_zdr_other: "Whether all other endpoints must guarantee zero data retention, such as Bedrock's and Azure's.",
  include_byok_in_budgets: "Whether spending with the account's own provider credentials counts in the budget.",
  reset_interval: "Interval after which the budget resets. `null`: it never resets."
} as const

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
  slug: BuiltinSlug.describe(about.slug),
  action: FilterAction.describe(about.action),
  label: z.string().describe(about.label),
  scan_scope: z
    .enum(["user_only", "all_messages"])
    .optional()
    .describe("Messages that `regex-prompt-injection` scans: only the user's, or all.")
})
export type ContentFilterBuiltin = z.output<typeof ContentFilterBuiltin>

export const ContentFilter = z.object({
  pattern: z.string().describe(about.pattern),
  action: FilterAction.describe(about.action),
  label: z.string().describe(about.label)
})
export type ContentFilter = z.output<typeof ContentFilter>

/** What `redact` inserts for a custom filter without a label. */
export const customFilterLabel = "[REDACTED]"

/** The vendor groups of zero-data-retention enforcement, each a field `enforce_zdr_<group>`. */
export const zdrGroups = ["anthropic", "openai", "google", "xai", "other"] as const
export type ZdrGroup = (typeof zdrGroups)[number]

const nameList = z.array(z.string()).nullable()

export const Guardrail = z
  .object({
    id: uuid.describe(about.id),
    workspace_id: workspaceId,
    name: z.string().describe(about.name),
    description: z.string().nullable().describe(about.description),
    allowed_data_regions: z.array(Region).nullable().describe(about.allowed_data_regions),
    allowed_models: nameList.describe(about.allowed_models),
    allowed_providers: nameList.describe(about.allowed_providers),
    ignored_models: nameList.describe(about.ignored_models),
    ignored_providers: nameList.describe(about.ignored_providers),
    content_filter_builtins: z.array(ContentFilterBuiltin).nullable().describe(about.content_filter_builtins),
    content_filters: z.array(ContentFilter).nullable().describe(about.content_filters),
    content_filter_unscannable: UnscannableAction.describe(
      "`block` refuses requests with an image, a file, audio or video that no filter can read. `allow` lets them pass."
    ),
    enable_free_model_publication: z.boolean().describe(about.enable_free_model_publication),
    enable_free_model_training: z.boolean().describe(about.enable_free_model_training),
    enable_paid_model_training: z.boolean().describe(about.enable_paid_model_training),
    enforce_zdr: z
      .boolean()
      .nullable()
      .describe("Value of `enforce_zdr` that was sent last. `null`: none. The fields `enforce_zdr_*` decide."),
    enforce_zdr_anthropic: z.boolean().describe(about.enforce_zdr_anthropic),
    enforce_zdr_openai: z.boolean().describe(about.enforce_zdr_openai),
    enforce_zdr_google: z.boolean().describe(about.enforce_zdr_google),
    enforce_zdr_xai: z.boolean().describe(about.enforce_zdr_xai),
    enforce_zdr_other: z.boolean().describe(about.enforce_zdr_other),
    include_byok_in_budgets: z.boolean().describe(about.include_byok_in_budgets),
    limit_usd: z
      .number()
      .nullable()
      .describe("Budget in USD, from 0 to 1e9, for each `reset_interval`. 0 blocks all spending. `null`: no budget."),
    reset_interval: ResetInterval.nullable().describe(about.reset_interval),
    created_at: createdAt,
    updated_at: updatedOrNever
  })
  .meta({
    id: "Guardrail",
    description: "A policy on models, providers, regions, data retention, content and spending."
  })
export type Guardrail = z.output<typeof Guardrail>

const names = distinct(text(1, 256), 1000).nullish()
const label = text(0, 100).nullish()
const flag = z.boolean().nullish()

const writable = {
  name: text(1, 200).describe(about.name),
  description: text(0, 1000).nullish().describe(about.description),
  allowed_data_regions: distinct(Region, 1000).nullish().describe(about.allowed_data_regions),
  allowed_models: names.describe(about.allowed_models),
  allowed_providers: names.describe(about.allowed_providers),
  ignored_models: names.describe(about.ignored_models),
  ignored_providers: names.describe(about.ignored_providers),
  content_filter_builtins: z
    .array(
      z.object({
        slug: BuiltinSlug.describe(about.slug),
        action: FilterAction.describe(about.action),
        label: label.describe(
          "Text that `redact` inserts in place of the finding. Default: the placeholder of the filter."
        ),
        scan_scope: z
          .enum(["user_only", "all_messages"])
          .nullish()
          .describe("Messages that `regex-prompt-injection` scans: only the user's, or all. Default: all.")
      })
    )
    .min(1)
    .max(100)
    .nullish()
    .describe(about.content_filter_builtins),
  content_filters: z
    .array(
      z.object({
        pattern: text(1, 10_000).describe(about.pattern),
        action: FilterAction.describe(about.action),
        label: label.describe("Text that `redact` inserts in place of the finding. Default: `[REDACTED]`.")
      })
    )
    .min(1)
    .max(100)
    .nullish()
    .describe(about.content_filters),
  content_filter_unscannable: UnscannableAction.nullish().describe(
    "`block` refuses requests with an image, a file, audio or video that no filter can read. Default: `allow`."
  ),
  enable_free_model_publication: flag.describe(about.enable_free_model_publication),
  enable_free_model_training: flag.describe(about.enable_free_model_training),
  enable_paid_model_training: flag.describe(about.enable_paid_model_training),
  enforce_zdr: flag.describe(
    "Sets every field `enforce_zdr_*` that the same request does not send. `null`: sets none."
  ),
  enforce_zdr_anthropic: flag.describe(about.enforce_zdr_anthropic),
  enforce_zdr_openai: flag.describe(about.enforce_zdr_openai),
  enforce_zdr_google: flag.describe(about.enforce_zdr_google),
  enforce_zdr_xai: flag.describe(about.enforce_zdr_xai),
  enforce_zdr_other: flag.describe(about.enforce_zdr_other),
  include_byok_in_budgets: flag.describe(about.include_byok_in_budgets),
  limit_usd: usd
    .nullish()
    .describe(
      "Budget in USD, from 0 to 1e9, for each `reset_interval`. 0 blocks all spending, `null` removes the budget. Send both fields or none."
    ),
  reset_interval: ResetInterval.nullish().describe(about.reset_interval)
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

export const CreateGuardrail = limitPair(z.object({ ...writable, workspace_id: inWorkspace })).meta({
  id: "CreateGuardrail",
  description: "A new guardrail."
})
export type CreateGuardrail = z.output<typeof CreateGuardrail>

export const UpdateGuardrail = limitPair(
  z.object({ ...writable, name: text(1, 200).optional().describe(about.name) })
).meta({
  id: "UpdateGuardrail",
  description: "Changes of a guardrail. Absent fields stay."
})
export type UpdateGuardrail = z.output<typeof UpdateGuardrail>

export const GuardrailWarning = z
  .object({
    path: z.string().describe("Path of the name in the body of the request: `ignored_models.0`."),
    code: z.enum(["unknown_model", "unknown_provider"]).describe("Kind of the unknown name: a model or a provider."),
    message: z.string().describe("The warning as a sentence for people.")
  })
  .meta({
    id: "GuardrailWarning",
    description: "A warning about an accepted write: an allowed or ignored name that matches nothing in the catalog."
  })
export type GuardrailWarning = z.output<typeof GuardrailWarning>

/** `warnings` only where there are any. */
const WrittenGuardrail = z.object({
  data: Guardrail,
  warnings: z
    .array(GuardrailWarning)
    .optional()
    .describe("Allowed or ignored names that match nothing in the catalog. Absent: there are none.")
})

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

export const guardrailParams = z.object({ id: uuid.describe(about.id) })

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
  success: { schema: dataOf(Guardrail), long: "entity" },
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
  success: { schema: WrittenGuardrail, long: "entity" },
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
  query: z.object({ ...page, workspace_id: ofWorkspace }),
  success: { schema: listOf(Guardrail), long: true },
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
