/**
 * Admissions: the request of a data plane before it dispatches a model request, and its report afterwards.
 *
 * Rule: admissions#admission, admissions#settlement, money#amounts. Money is a decimal string.
 */
import * as z from "zod"
import { ChatMessage, jsonObject } from "./chat.ts"
import { docUrl, ErrorReason, Issue } from "./error.ts"
import { FilterAction } from "./guardrail.ts"
import { manyOf } from "./manyOf.ts"
import { json, maxChatValues, operation, optionalJson } from "./operation.ts"
import { BudgetInterval } from "./interval.ts"
import { dataOf, documentedAs, keyHash, Region, text, timestamp, uuid } from "./primitives.ts"
import { SettlementReport, usdAmount } from "./usage.ts"

/** An amount of USD as it is printed here: a plain decimal string. */
const amount = z.string().meta({ [documentedAs]: { type: "string", examples: ["0.0125"] } })

/**
 * Where the rule comes from: a guardrail as the workspace's default, the member's or the key's; the budget of the default guardrail, for each
 * member or for each key; the key's own limit; a budget of the
 * workspace; a rate limit of the key; a credential that claims its provider or its models; a preference of the request itself; or the
 * catalog, which has no endpoint for the request.
 */
export const ReasonScope = z.enum([
  "workspace",
  "workspace_default_member",
  "workspace_default_key",
  "member",
  "key",
  "key_limit",
  "workspace_budget",
  "rate_limit",
  "credential",
  "request",
  "catalog"
])
export type ReasonScope = z.output<typeof ReasonScope>

/** One rule that removed an endpoint or denied the request: its field and its value. */
export const AdmissionReason = z
  .object({
    scope: ReasonScope,
    guardrail_id: uuid.nullable(),
    /** The field as its resource names it: `allowed_providers`, `content_filters.1`, `limit_usd`, `provider.only`. */
    field: z.string(),
    /** The value of the field; for a list of ignored names, the entry that matched. */
    value: z.unknown()
  })
  .meta({ id: "AdmissionReason" })
export type AdmissionReason = z.output<typeof AdmissionReason>

const count = z.int().min(0)

const SortWord = z.enum(["price", "throughput", "latency", "exacto"])

/** A bound on a measured median, or on several percentiles at once. */
const threshold = z.union([
  z.number().min(0),
  z.object({
    p50: z.number().min(0).nullish(),
    p75: z.number().min(0).nullish(),
    p90: z.number().min(0).nullish(),
    p99: z.number().min(0).nullish()
  })
])

/** Routing preferences of the request. They narrow what policy allows, or order the result; they never allow more. */
export const ProviderPreferences = z
  .object({
    only: z.array(text(1, 256)).max(1000).nullish(),
    ignore: z.array(text(1, 256)).max(1000).nullish(),
    order: z.array(text(1, 256)).max(1000).nullish(),
    /** `false` together with `order`: only the endpoints that `order` names. */
    allow_fallbacks: z.boolean().nullish(),
    /** `true`: only endpoints with zero data retention. */
    zdr: z.boolean().nullish(),
    /** `deny`: no endpoint that trains on or publishes what is sent. */
    data_collection: z.enum(["allow", "deny"]).nullish(),
    quantizations: z.array(text(1, 64)).max(100).nullish(),
    /**
     * The order of endpoints that `order` does not name. `price`: cheapest first. `latency`, `throughput`: by the median of the
     * last 30 minutes, endpoints without measurements last. `exacto`: the catalog's order. `partition: "none"` sorts the endpoints
     * of all requested models together. Default: the workspace's `default_provider_sort`, else the catalog's order.
     */
    sort: z
      .union([SortWord, z.object({ by: SortWord.nullish(), partition: z.enum(["model", "none"]).nullish() })])
      .nullish(),
    /** Only endpoints that cost no more: USD per million tokens for `prompt` and `completion`, USD per unit for the others. */
    max_price: z
      .object({
        prompt: usdAmount.nullish(),
        completion: usdAmount.nullish(),
        request: usdAmount.nullish(),
        image: usdAmount.nullish(),
        audio: usdAmount.nullish()
      })
      .nullish(),
    /** Only endpoints that support every parameter that the request sends. */
    require_parameters: z.boolean().nullish(),
    /** Only models whose author allows distillation. The catalog does not say so of any model, so `true` admits none. */
    enforce_distillable_text: z.boolean().nullish(),
    /** Seconds to the first token; endpoints that were slower in the last 30 minutes, or were not measured, are tried last. */
    preferred_max_latency: threshold.nullish(),
    /** Tokens a second; endpoints that were slower in the last 30 minutes, or were not measured, are tried last. */
    preferred_min_throughput: threshold.nullish()
  })
  .meta({ id: "ProviderPreferences" })
export type ProviderPreferences = z.output<typeof ProviderPreferences>

/** The request to decide on: the key that makes it, and the fields of a chat request that the decision needs. */
const asked = {
  api_key_hash: keyHash,
  /** The ingress region of the model request. Default: that of this HTTP request. */
  ingress_region: Region.nullish(),
  model: text(1, 512).nullish(),
  models: z.array(text(1, 512)).max(100).nullish(),
  preset: text(1, 256).nullish(),
  provider: ProviderPreferences.nullish(),
  messages: manyOf(ChatMessage).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  /** Deprecated. `max_completion_tokens` takes precedence. */
  max_tokens: z.int().nullish(),
  /** Number of answers. Each may be as long as the granted limit. */
  n: z.int().min(1).max(128).nullish(),
  tools: manyOf(jsonObject).nullish(),
  /** Deprecated for `tools`. */
  functions: manyOf(jsonObject).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: jsonObject.nullish(),
  prediction: jsonObject.nullish(),
  plugins: manyOf(jsonObject).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  modalities: z.array(z.string()).max(100).nullish(),
  /** A tier whose price the catalog does not have is refused under a budget. */
  service_tier: z.string().nullish(),
  /** UTF-8 bytes that the data plane itself adds to the prompt. */
  extra_prompt_bytes: count.nullish(),
  stream: z.boolean().nullish(),
  user: z.string().nullish(),
  session_id: text(0, 256).nullish(),
  /** Holds this amount in place of the computed one. */
  max_cost_usd: usdAmount.nullish()
}

const holdSeconds = z.int().min(30).max(3600)
export const defaultHoldSeconds = 600

const admissionFields = {
  ...asked,
  /** Seconds until the hold expires. Default: 600. */
  hold_seconds: holdSeconds.nullish(),
  /**
   * What becomes of the hold if it expires: it is released, or charged in full to the budgets that hold it. A later settlement replaces the
   * charge. Default: `release`.
   */
  on_expiry: z.enum(["release", "charge"]).nullish(),
  /** Placeholders are numbered per distinct value, so that a data plane in this process can put the values back. */
  reversible_redaction: z.boolean().nullish()
}

/**
 * Keeps fields that it does not name, so that a data plane can pass a client's request as it is: everything that is sent to a model counts
 * towards the cost, known here or not. Its type has the named fields only.
 */
export const requestObject = <S extends z.ZodRawShape>(fields: S) =>
  z.looseObject(fields) as unknown as z.ZodObject<S, z.core.$strip>

export const CreateAdmission = requestObject(admissionFields).meta({ id: "CreateAdmission" })
export type CreateAdmission = z.output<typeof CreateAdmission>

/** An endpoint that the request may be dispatched to, in the order to try them. */
export const AdmittedCandidate = z
  .object({
    model: z.string(),
    endpoint_tag: z.string(),
    provider: z.string(),
    source: z.enum(["byok", "shared"]),
    byok_id: uuid.nullable(),
    /** Masked rendering of the credential. */
    label: z.string().nullable(),
    /** `europe` or `us`, as declared of the credential: send it to an address of the provider in that region alone. */
    declared_region: Region.optional(),
    /** A private endpoint: the address to send the request to, and what the model is called there. */
    upstream: z.object({ base_url: z.string(), model: z.string() }).optional()
  })
  .meta({ id: "AdmittedCandidate" })
export type AdmittedCandidate = z.output<typeof AdmittedCandidate>

export const Finding = z
  .object({
    guardrail_id: uuid,
    /**
     * The filter that found something: a builtin's slug, or `content_filters.<index>`; `unscanned` counts the parts that no filter could
     * read.
     */
    filter: z.string(),
    action: FilterAction,
    count
  })
  .meta({ id: "Finding" })
export type Finding = z.output<typeof Finding>

/**
 * Whose spending the budget limits. The budget of the workspace's default guardrail limits each member over all keys of the member in the
 * workspace (`workspace_default_member`), and each key (`workspace_default_key`). The budget of another guardrail limits a member (`member`)
 * or a key (`key`). The limit of a key is `key_limit`; a budget of the whole workspace is `workspace_budget`.
 */
export const BudgetScope = z.enum([
  "workspace_default_member",
  "workspace_default_key",
  "member",
  "key",
  "key_limit",
  "workspace_budget"
])
export type BudgetScope = z.output<typeof BudgetScope>

export const Hold = z
  .object({
    scope: BudgetScope,
    /** The hash of a key, the id of a user, or the id of a workspace. */
    entity: z.string(),
    guardrail_id: uuid.nullable(),
    /** `null`: the budget never resets. */
    window_start: timestamp.nullable(),
    amount_usd: amount
  })
  .meta({ id: "Hold" })
export type Hold = z.output<typeof Hold>

/** Why a model cannot be served. The codes of the public API; a denial has one of the first five, the others are of an upstream's answer. */
export const AvailabilityCode = z.enum([
  "model_not_found",
  "no_endpoints",
  "region_restricted",
  "privacy_restricted",
  "constraint_filtered",
  "wrong_endpoint",
  "model_deprecated",
  "model_unavailable_upstream",
  "capacity_exhausted",
  "temporarily_unavailable",
  "free_variant_ended"
])
export type AvailabilityCode = z.output<typeof AvailabilityCode>

/** Why no endpoint may serve the request, in the form of the public API. */
export const Availability = z
  .object({
    code: AvailabilityCode,
    /** Whether the same request may succeed later. */
    retryable: z.boolean(),
    /** The models of the request, by its names. */
    requested_models: z.array(z.string()),
    /** What removed the endpoints: a word of the public API, or the field of a rule that the public API does not have. */
    excluded_by: z.array(z.string()).optional(),
    /** With `constraint_filtered`: the first of `excluded_by`, and the field of every rule that removed an endpoint. */
    constraint: z.object({ field: z.string(), detail: z.string() }).optional(),
    docs_url: docUrl
  })
  .meta({ id: "Availability" })
export type Availability = z.output<typeof Availability>

/** The `error` of the envelope that the data plane should answer. */
export const DenialError = z.object({
  code: z.int(),
  message: z.string(),
  /** Present if no endpoint is left for the request. `metadata` has the same. */
  availability: Availability.optional(),
  /** As every error has them, and what a data plane can tell about this one: `availability`, `budget`, `rate_limits`, `patterns` and others. */
  metadata: z.looseObject({ reason: ErrorReason, doc_url: docUrl })
})
export type DenialError = z.output<typeof DenialError>

/** Only a denial has `status` and `error`. */
export const requireAnswer =
  <Name extends string>(...names: readonly Name[]) =>
  (
    value: { readonly decision: "allow" | "deny" } & Readonly<Record<Name, unknown>>,
    context: z.RefinementCtx
  ): void => {
    for (const name of names)
      if ((value[name] === null) === (value.decision === "deny"))
        context.addIssue({
          code: "custom",
          path: [name],
          message: value.decision === "deny" ? "Expected what to answer" : "Expected null"
        })
  }

const admission = z
  .object({
    id: z.string(),
    decision: z.enum(["allow", "deny"]),
    status: z.int().nullable(),
    error: DenialError.nullable(),
    candidates: z.array(AdmittedCandidate),
    /** The messages after redaction. Send these to the provider. */
    messages: z.array(z.unknown()).nullable(),
    /**
     * Every other field that is sent to a model (`tools`, `response_format`, `stop`, …), including those of a preset, after redaction.
     * They replace the request's own. `null` on `deny`.
     */
    fields: jsonObject.nullable(),
    findings: z.array(Finding),
    holds: z.array(Hold),
    /** The granted completion length. The data plane must not let the model write more. `null`: nothing was held. */
    grant: z.object({ max_completion_tokens: z.int().nullable() }),
    expires_at: timestamp.nullable(),
    reasons: z.array(AdmissionReason),
    /** A sentence for each reason, in the same order, for whoever manages the policies: `path` is its field, `code` its scope. */
    issues: z.array(Issue)
  })
  .superRefine(requireAnswer("status", "error"))
  .meta({ id: "Admission" })
type AnyAdmission = z.output<typeof admission>

export interface AllowedAdmission extends AnyAdmission {
  readonly decision: "allow"
  readonly status: null
  readonly error: null
  readonly fields: NonNullable<AnyAdmission["fields"]>
}

export interface DeniedAdmission extends AnyAdmission {
  readonly decision: "deny"
  /** The HTTP status that the data plane should answer. */
  readonly status: number
  /** The `error` of the envelope that the data plane should answer. */
  readonly error: DenialError
  readonly fields: null
}

/** Discriminated by `decision`. The OpenAPI document has one object, for clients in other languages. */
export const Admission = admission as unknown as z.ZodType<AllowedAdmission | DeniedAdmission>
export type Admission = AllowedAdmission | DeniedAdmission

export const RenewAdmission = z.object({ hold_seconds: holdSeconds.nullish() }).meta({ id: "RenewAdmission" })
export type RenewAdmission = z.output<typeof RenewAdmission>

export const SettleAdmission = z.object({ event: SettlementReport }).meta({ id: "SettleAdmission" })
export type SettleAdmission = z.output<typeof SettleAdmission>

/** The amount that a budget was charged, and the part above its limit. */
export const Charge = z
  .object({
    scope: BudgetScope,
    entity: z.string(),
    guardrail_id: uuid.nullable(),
    window_start: timestamp.nullable(),
    amount_usd: amount,
    overdraft_usd: amount
  })
  .meta({ id: "Charge" })
export type Charge = z.output<typeof Charge>

export const Settlement = z.object({ charged: z.array(Charge), overdraft_usd: amount }).meta({ id: "Settlement" })
export type Settlement = z.output<typeof Settlement>

/** An edit of one field of one resource, from its present value to the proposed one. */
export const PolicyEdit = z
  .object({
    scope: ReasonScope,
    guardrail_id: uuid.nullable(),
    field: z.string(),
    from: z.unknown(),
    to: z.unknown()
  })
  .meta({ id: "PolicyEdit" })
export type PolicyEdit = z.output<typeof PolicyEdit>

export const ExplainedCandidate = z
  .object({
    ...AdmittedCandidate.shape,
    /** Where the request would be processed, as the catalog declares it of the endpoint, or the owner of the credential of the account. */
    data_regions: z.array(Region),
    allowed: z.boolean(),
    /** Every rule that removed the endpoint; empty if it is allowed. */
    reasons: z.array(AdmissionReason)
  })
  .meta({ id: "ExplainedCandidate" })
export type ExplainedCandidate = z.output<typeof ExplainedCandidate>

export const ExplainedBudget = z
  .object({
    scope: BudgetScope,
    /** The hash of a key, the id of a user, or the id of a workspace. */
    entity: z.string(),
    guardrail_id: uuid.nullable(),
    interval: BudgetInterval,
    /** `null`: the budget never resets. */
    window_start: timestamp.nullable(),
    limit_usd: amount,
    spent_usd: amount,
    held_usd: amount
  })
  .meta({ id: "ExplainedBudget" })
export type ExplainedBudget = z.output<typeof ExplainedBudget>

const admissionParams = z.object({ id: text(1, 128) })

const example = {
  id: "gwa_AQ3vX2p4r8k1",
  api_key_hash: "c1a6cbb6ad0ebd72c7a4a1f1fa3ba7c7a3ccb0a9f6a35ea1d2f1e6ae53e6b3d4"
}

export const createAdmission = operation({
  id: "createAdmission",
  method: "POST",
  path: "/gateway/admissions",
  tag: "Gateway",
  changes: "usage",
  summary: "Ask whether a request may be dispatched, and hold what it may cost",
  description:
    "Every guardrail that applies to the key is applied to every endpoint that the request may go to. `candidates` are those it may be dispatched to, in the order to try them; on `deny`, `status` and `error` are what to answer and `reasons` is the proof. What is held is given back by settling, by cancelling or by time.",
  access: "managementKey",
  gatewayKey: true,
  body: json(CreateAdmission, 33_554_432, maxChatValues),
  success: { schema: dataOf(Admission) },
  errors: [400, 401, 403, 500],
  example: {
    body: { api_key_hash: example.api_key_hash, model: "acme/sonnet", max_completion_tokens: 1000 },
    response: {
      data: {
        id: example.id,
        decision: "allow",
        status: null,
        error: null,
        candidates: [
          {
            model: "acme/sonnet",
            endpoint_tag: "acme/fp8",
            provider: "acme",
            source: "shared",
            byok_id: null,
            label: null
          }
        ],
        messages: null,
        fields: {},
        findings: [],
        holds: [],
        grant: { max_completion_tokens: null },
        expires_at: "2026-01-05T09:40:00.000Z",
        reasons: [],
        issues: []
      }
    }
  }
})

export const renewAdmission = operation({
  id: "renewAdmission",
  method: "POST",
  path: "/gateway/admissions/:id/renewal",
  tag: "Gateway",
  changes: "usage",
  summary: "Hold on for longer",
  access: "managementKey",
  gatewayKey: true,
  params: admissionParams,
  body: optionalJson(RenewAdmission),
  success: { schema: dataOf(z.object({ expires_at: timestamp })) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: { hold_seconds: 600 },
    response: { data: { expires_at: "2026-01-05T09:50:00.000Z" } }
  }
})

export const settleAdmission = operation({
  id: "settleAdmission",
  method: "POST",
  path: "/gateway/admissions/:id/settlement",
  tag: "Gateway",
  changes: "usage",
  summary: "Report what a request cost",
  description:
    "Records the usage event under the admission's id and charges the budgets that were held, in one transaction. Settling again changes nothing and answers the same.",
  access: "managementKey",
  gatewayKey: true,
  params: admissionParams,
  body: { ...json(SettleAdmission), repairs: true },
  success: { schema: dataOf(Settlement) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: {
      event: {
        created_at: "2026-01-05T09:31:00.000Z",
        model: "acme/sonnet",
        provider: "acme",
        prompt_tokens: 1200,
        completion_tokens: 340,
        cost_usd: "0.0087"
      }
    },
    response: { data: { charged: [], overdraft_usd: "0" } }
  }
})

export const cancelAdmission = operation({
  id: "cancelAdmission",
  method: "DELETE",
  path: "/gateway/admissions/:id",
  tag: "Gateway",
  changes: "usage",
  summary: "Give back what is held",
  access: "managementKey",
  gatewayKey: true,
  params: admissionParams,
  success: { schema: dataOf(z.object({ released: z.literal(true) })) },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: example.id }, response: { data: { released: true } } }
})
