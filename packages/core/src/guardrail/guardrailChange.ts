/**
 * Maps the fields of a request to the stored values that they set.
 *
 * Rule: guardrails#spending-limit, guardrails#zero-data-retention, requests#patches.
 */
import { contentFilterBuiltins, customFilterLabel, zdrGroups } from "@gatewarden/contract"
import type { ContentFilter, ContentFilterBuiltin, Guardrail, UpdateGuardrail } from "@gatewarden/contract"
import { sentFields } from "../value/sentFields.ts"

/** What a request may set. */
export type GuardrailFields = Omit<Guardrail, "id" | "workspace_id" | "created_at" | "updated_at">

/** Only the fields that a request sets; absent ones stay. */
export type GuardrailChange = { readonly [K in keyof GuardrailFields]?: GuardrailFields[K] }

/** The defaults of a guardrail, which restrict nothing (Rule: guardrails#new-guardrails). */
export const unrestricted: Omit<GuardrailFields, "name"> = {
  description: null,
  allowed_data_regions: null,
  allowed_models: null,
  allowed_providers: null,
  ignored_models: null,
  ignored_providers: null,
  content_filter_builtins: null,
  content_filters: null,
  content_filter_unscannable: "allow",
  enable_free_model_publication: true,
  enable_free_model_training: true,
  enable_paid_model_training: true,
  enforce_zdr: null,
  enforce_zdr_anthropic: false,
  enforce_zdr_openai: false,
  enforce_zdr_google: false,
  enforce_zdr_xai: false,
  enforce_zdr_other: false,
  include_byok_in_budgets: false,
  limit_usd: null,
  reset_interval: null
}

/** The name of a workspace's default guardrail, which is derived and not changeable (Rule: guardrails#default-guardrail). */
export const defaultGuardrailName = (workspaceId: string): string => `Workspace ${workspaceId} Default`

const nullable = [
  "description",
  "allowed_data_regions",
  "allowed_models",
  "allowed_providers",
  "ignored_models",
  "ignored_providers",
  "enforce_zdr",
  "limit_usd",
  "reset_interval"
] as const

/** For these fields `null` counts as absent. */
const notNullable = [
  "name",
  "content_filter_unscannable",
  "enable_free_model_publication",
  "enable_free_model_training",
  "enable_paid_model_training",
  "include_byok_in_budgets"
] as const

type Draft = { -readonly [K in keyof GuardrailChange]: GuardrailChange[K] }

export const guardrailChange = (fields: UpdateGuardrail): GuardrailChange => {
  const change: Draft = sentFields(fields, nullable, notNullable)
  const copy = <K extends keyof Draft>(field: K, value: Draft[K] | undefined) => {
    if (value !== undefined) change[field] = value
  }
  copy(
    "content_filter_builtins",
    fields.content_filter_builtins && fields.content_filter_builtins.map(withBuiltinLabel)
  )
  copy("content_filters", fields.content_filters && fields.content_filters.map(withCustomLabel))
  // The deprecated field sets every vendor group that the same request does not set.
  for (const group of zdrGroups)
    copy(`enforce_zdr_${group}`, fields[`enforce_zdr_${group}`] ?? fields.enforce_zdr ?? undefined)
  return change
}

type Sent<K extends "content_filter_builtins" | "content_filters"> = NonNullable<UpdateGuardrail[K]>[number]

const withBuiltinLabel = (filter: Sent<"content_filter_builtins">): ContentFilterBuiltin => ({
  slug: filter.slug,
  action: filter.action,
  label: filter.label ?? contentFilterBuiltins[filter.slug].label,
  ...(filter.scan_scope == null ? {} : { scan_scope: filter.scan_scope })
})

const withCustomLabel = (filter: Sent<"content_filters">): ContentFilter => ({
  pattern: filter.pattern,
  action: filter.action,
  label: filter.label ?? customFilterLabel
})
