import {
  type ContentFilter,
  type ContentFilterBuiltin,
  type Guardrail,
  type KeyAssignment,
  type MemberAssignment,
  type UpdateGuardrail,
  contentFilterBuiltins,
  customFilterLabel,
  zdrGroups
} from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import { v5 as nameBasedUuid } from "uuid"
import { type Page, type PageRequest } from "../value/Page.ts"
import { sentFields } from "../value/sentFields.ts"
import type { Oversized } from "./limits.ts"

/** Where guardrails are remembered. */
export class Guardrails extends Context.Service<
  Guardrails,
  {
    /** False when the workspace does not exist (any more). */
    readonly insert: (account_id: string, guardrail: Guardrail) => Effect.Effect<boolean>
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<Guardrail>>
    /**
     * Applies a change; `updated_at` becomes `now` if and only if a stored value changed. A default guardrail that was not stored yet is
     * stored first. `name_kept`: the change renames a default guardrail; nothing was written. `Oversized` is decided on the row that the
     * change is applied to.
     */
    readonly update: (
      account_id: string,
      id: string,
      change: GuardrailChange,
      now: string
    ) => Effect.Effect<Guardrail | Oversized | "missing" | "name_kept">
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<Guardrail>>
    /** Deletes with its assignments. `default`: a workspace's default guardrail, stored or not; nothing was done. */
    readonly remove: (account_id: string, id: string) => Effect.Effect<"removed" | "missing" | "default">
  }
>()("gatewarden/Guardrails") {}

/** The hash of a key or the id of a user, and the id for its assignment. */
export interface Assignee {
  readonly name: string
  readonly id: string
}

export interface Assigning {
  readonly assigned_by: string | null
  readonly now: string
}

/**
 * `unknown`: some assignee does not exist in the account, `missing`: the guardrail does not (and every assignee does); nothing
 * was changed.
 */
export type Assigned = "assigned" | "unknown" | "missing"

/** Of one guardrail, or of all of the account. */
export interface AssignmentFilter {
  readonly guardrail_id?: string
  /** Only keys in these workspaces, and only users whom a key or a membership in one of them names. */
  readonly workspace_ids?: readonly string[]
}

/** One guardrail, or all of a workspace. */
export type GuardrailsAsked = { readonly guardrail_id: string } | { readonly workspace_id: string }

/** Which guardrail applies to which keys and members: at most one to each. */
export class Assignments extends Context.Service<
  Assignments,
  {
    /**
     * All or none, of API keys of the account that have not expired. Replaces another guardrail of a key; leaves an existing assignment
     * unchanged.
     */
    readonly assignKeys: (
      account_id: string,
      guardrail_id: string,
      keys: readonly Assignee[],
      how: Assigning
    ) => Effect.Effect<Assigned>
    /** The number of assignees that had this guardrail; others are unchanged. */
    readonly unassignKeys: (
      account_id: string,
      guardrail_id: string,
      hashes: readonly string[]
    ) => Effect.Effect<number | "missing">
    readonly listKeys: (
      account_id: string,
      filter: AssignmentFilter,
      page: PageRequest
    ) => Effect.Effect<Page<KeyAssignment>>
    /** As with keys: users whom a key or a membership of the account names. */
    readonly assignMembers: (
      account_id: string,
      guardrail_id: string,
      users: readonly Assignee[],
      how: Assigning
    ) => Effect.Effect<Assigned>
    readonly unassignMembers: (
      account_id: string,
      guardrail_id: string,
      users: readonly string[]
    ) => Effect.Effect<number | "missing">
    readonly listMembers: (
      account_id: string,
      filter: AssignmentFilter,
      page: PageRequest
    ) => Effect.Effect<Page<MemberAssignment>>
    /**
     * Whether one of the guardrails applies beyond the workspaces: `members` if a member has it, because a member's guardrail applies in
     * every workspace; otherwise `keys` if a key in another workspace has it.
     */
    readonly appliesBeyond: (
      account_id: string,
      guardrails: GuardrailsAsked,
      workspace_ids: readonly string[]
    ) => Effect.Effect<"members" | "keys" | undefined>
    /** The hashes of those keys that have a guardrail of none of the workspaces, in the order of the hashes. */
    readonly keysGovernedElsewhere: (
      account_id: string,
      hashes: readonly string[],
      workspace_ids: readonly string[]
    ) => Effect.Effect<readonly string[]>
  }
>()("gatewarden/Assignments") {}

/** What a request may set. */
export type GuardrailFields = Omit<Guardrail, "id" | "workspace_id" | "created_at" | "updated_at">

/**
 * Maps the fields of a request to the stored values that they set.
 *
 * Rule: guardrails#spending-limit, guardrails#zero-data-retention, requests#patches.
 *
 * Only the fields that a request sets; absent ones stay.
 */
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

/** Never change this namespace: ids that users rely on are derived from it. */
const defaultGuardrailNamespace = "d7a02956-81ec-4ec2-b594-dc6a30462555"

/**
 * The id of a workspace's default guardrail, known before it is first stored.
 *
 * Rule: guardrails#default-guardrail. Source: RFC 9562 5.5.
 *
 * The id of the default guardrail of a workspace; the case in which the workspace id is written does not matter.
 */
export const defaultGuardrailId = (workspaceId: string): string =>
  nameBasedUuid(workspaceId.toLowerCase(), defaultGuardrailNamespace)
