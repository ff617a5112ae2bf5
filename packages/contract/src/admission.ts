/**
 * Admissions: the request of a data plane before it dispatches a model request. `settlement.ts` has what follows.
 *
 * Rule: admissions#admission, money#amounts. Money is a decimal string.
 */
import * as z from "zod"
import { Availability } from "./availability.ts"
import { Hold, holdSeconds } from "./budget.ts"
import { ChatMessage, jsonObject } from "./chat.ts"
import { docUrl, ErrorReason, Issue } from "./error.ts"
import { FilterAction } from "./guardrail.ts"
import { manyOf } from "./manyOf.ts"
import { json, maxChatValues, operation } from "./operation.ts"
import { dataOf, keyHash, Region, text, timestamp, uuid } from "./primitives.ts"
import { namedKey, requireKey } from "./namedKey.ts"
import { ProviderPreferences } from "./providerPreferences.ts"
import { exampleAdmissionId } from "./settlement.ts"
import { usdAmount } from "./usage.ts"

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

export const AdmissionReason = z
  .object({
    scope: ReasonScope.describe("Where the rule comes from."),
    guardrail_id: uuid
      .nullable()
      .describe("Id of the guardrail. `null`: the rule or budget does not belong to a guardrail."),
    field: z
      .string()
      .describe(
        "Field of the rule, as its resource names it: `allowed_providers`, `content_filters.1`, `limit_usd`, `provider.only`."
      ),
    value: z.unknown().describe("Value of the field. For a list of ignored names, the entry that matched.")
  })
  .meta({
    id: "AdmissionReason",
    description: "One rule that removed an endpoint or denied the request: its field and its value."
  })
export type AdmissionReason = z.output<typeof AdmissionReason>

const count = z.int().min(0)

/** The request to decide on: the key that makes it, and the fields of a chat request that the decision needs. */
const asked = {
  api_key_hash: keyHash.describe("Hash of the API key that makes the model request."),
  ingress_region: Region.nullish().describe(
    "Region through which the model request came in. Default: the region of this HTTP request."
  ),
  model: text(1, 512)
    .nullish()
    .describe(
      "Model of the request, by slug or canonical slug, with or without a variant or a preset. Default: the workspace's `default_text_model`."
    ),
  models: z.array(text(1, 512)).max(100).nullish().describe("Models to try in this order."),
  preset: text(1, 256).nullish().describe("Slug of a preset, with or without a version: `support:2`."),
  provider: ProviderPreferences.nullish().describe("Preferences for the choice of endpoints."),
  messages: manyOf(ChatMessage).nullish().describe("Messages of the request. Content filters read them."),
  max_completion_tokens: z
    .int()
    .min(1)
    .nullish()
    .describe("Maximum number of completion tokens. Default: the configured ceiling."),
  max_tokens: z.int().nullish().describe("Deprecated for `max_completion_tokens`, which takes precedence."),
  n: z
    .int()
    .min(1)
    .max(128)
    .nullish()
    .describe("Number of answers. Each may be as long as the granted limit. Default: 1."),
  tools: manyOf(jsonObject).nullish().describe("Tools that the model may call: functions and server tools."),
  functions: manyOf(jsonObject).nullish().describe("Deprecated for `tools`."),
  tool_choice: z.unknown().optional().describe("Tool that the model must call, or whether it may."),
  response_format: jsonObject.nullish().describe("Format of the answer, such as a JSON schema."),
  prediction: jsonObject.nullish().describe("Predicted output of the request."),
  plugins: manyOf(jsonObject).nullish().describe("Plugins that the request uses."),
  stop: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .describe("Texts at which the completion ends."),
  modalities: z.array(z.string()).max(100).nullish().describe("Kinds of output to produce."),
  service_tier: z
    .string()
    .nullish()
    .describe("Service tier. A tier without a price in the catalog is refused under a budget."),
  extra_prompt_bytes: count
    .nullish()
    .describe("UTF-8 bytes that the data plane adds to the prompt. They count towards the cost."),
  stream: z.boolean().nullish().describe("Whether the answer is streamed."),
  user: z.string().nullish().describe("Name of the end user."),
  session_id: text(0, 256).nullish().describe("Id of the session that the request belongs to."),
  max_cost_usd: usdAmount.nullish().describe("USD to hold in place of the computed amount.")
}

export const defaultHoldSeconds = 600

const admissionFields = {
  ...asked,
  hold_seconds: holdSeconds.nullish().describe("Seconds until the hold expires, 30 to 3600. Default: 600."),
  on_expiry: z
    .enum(["release", "charge"])
    .nullish()
    .describe(
      "Fate of the hold when it expires. `release`: nothing is charged. `charge`: its budgets are charged in full, until a later settlement replaces the charge. Default: `release`."
    ),
  reversible_redaction: z
    .boolean()
    .nullish()
    .describe(
      "Whether placeholders are numbered by distinct value, so that a data plane in the same process can restore the values."
    )
}

/**
 * Keeps fields that it does not name, so that a data plane can pass a client's request as it is: everything that is sent to a model counts
 * towards the cost, known here or not. Its type has the named fields only.
 */
export const requestObject = <S extends z.ZodRawShape>(fields: S) =>
  z.looseObject(fields) as unknown as z.ZodObject<S, z.core.$strip>

/** What an admission decides on, once the key is known by its hash. */
export const CreateAdmission = requestObject(admissionFields)
export type CreateAdmission = z.output<typeof CreateAdmission>

/** The body of `createAdmission`. */
export const AskedAdmission = requestObject({ ...admissionFields, ...namedKey })
  .superRefine((value, context) => requireKey(value, context))
  .meta({
    id: "CreateAdmission",
    description:
      "A model request to decide on. Fields that are not named here are accepted, too: all that is sent to the model counts towards the cost."
  })
export type AskedAdmission = z.output<typeof AskedAdmission>

export const AdmittedCandidate = z
  .object({
    model: z.string().describe("Model of the candidate."),
    endpoint_tag: z.string().describe("Tag of the endpoint in the catalog."),
    provider: z.string().describe("Slug of the provider."),
    source: z
      .enum(["byok", "shared"])
      .describe("`byok`: the account's own credential. `shared`: the capacity of the data plane."),
    byok_id: uuid.nullable().describe("Id of the BYOK credential. `null`: shared capacity."),
    label: z.string().nullable().describe("Masked rendering of the credential. `null`: shared capacity."),
    declared_region: Region.optional().describe(
      "Declared region of the credential, `europe` or `us`. Send the credential only to an address of the provider in that region. Absent: none is declared."
    ),
    upstream: z
      .object({
        base_url: z.string().describe("Base URL of the deployment."),
        model: z.string().describe("Name of the model at the deployment.")
      })
      .optional()
      .describe("Address and name of the model, for private endpoints only."),
    own_model: z
      .literal(true)
      .optional()
      .describe(
        "The model is the account's own: the account wrote its prices. Serve it with the operator's key only if you trust them."
      ),
    max_completion_tokens: z
      .int()
      .optional()
      .describe(
        "Most completion tokens to ask this candidate for, if fewer than the grant: its own limit in the catalog."
      )
  })
  .meta({ id: "AdmittedCandidate", description: "An endpoint that may serve the request." })
export type AdmittedCandidate = z.output<typeof AdmittedCandidate>

export const Finding = z
  .object({
    guardrail_id: uuid.describe("Id of the guardrail that has the filter."),
    filter: z
      .string()
      .describe(
        "Filter that found something: the slug of a builtin, or `content_filters.<index>`. `unscanned` counts the parts that no filter could read."
      ),
    action: FilterAction.describe("Action of the filter."),
    count: count.describe("Number of findings.")
  })
  .meta({ id: "Finding", description: "Findings of one content filter." })
export type Finding = z.output<typeof Finding>

/** The `error` of the envelope that the data plane should answer. */
export const DenialError = z.object({
  code: z.int().describe("HTTP status that the data plane answers."),
  message: z.string().describe("Text of the error for the client."),
  availability: Availability.optional().describe(
    "Why no endpoint is left. Absent: the request is denied for another reason. `metadata` has the same."
  ),
  metadata: z
    .looseObject({
      reason: ErrorReason.describe("Name of the cause."),
      doc_url: docUrl.describe(
        "Address of a page on the reason. Resolve it against the URL of the request, unless it is absolute."
      )
    })
    .describe(
      "Cause of the error, and details about it such as `availability`, `budget`, `rate_limits` and `patterns`."
    )
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
    id: z.string().describe("Id of the admission, for its settlement, renewal and cancellation."),
    decision: z
      .enum(["allow", "deny"])
      .describe(
        "`allow`: send the request to the first candidate. `deny`: answer the client with `status` and `error`."
      ),
    status: z.int().nullable().describe("HTTP status to answer the client with. `null` on `allow`."),
    error: DenialError.nullable().describe("Error to answer the client with. `null` on `allow`."),
    candidates: z.array(AdmittedCandidate).describe("Endpoints that may serve the request, in the order to try them."),
    messages: z
      .array(z.unknown())
      .nullable()
      .describe("Messages after redaction. Send these to the provider. `null`: the request has none, or is denied."),
    fields: jsonObject
      .nullable()
      .describe(
        "Every other field that is sent to the model, also from a preset, after redaction. They replace the fields of the request. `null` on `deny`."
      ),
    findings: z.array(Finding).describe("Findings of the content filters."),
    holds: z.array(Hold).describe("Amounts that are held, one for each budget."),
    grant: z
      .object({
        max_completion_tokens: z
          .int()
          .nullable()
          .describe(
            "Maximum number of completion tokens. The data plane must not let the model write more. `null`: nothing was held."
          )
      })
      .describe("Granted length of the completion."),
    expires_at: timestamp.nullable().describe("Time when the hold expires, in UTC. `null` on `deny`."),
    reasons: z.array(AdmissionReason).describe("Rules that denied the request. Empty on `allow`."),
    issues: z
      .array(Issue)
      .describe(
        "A sentence for each of `reasons`, in the same order, for people who manage the policies. `path` is the field, `code` the scope."
      )
  })
  .superRefine(requireAnswer("status", "error"))
  .meta({ id: "Admission", description: "Decision on a model request." })
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

const example = {
  id: exampleAdmissionId,
  api_key_hash: "894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a"
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
  body: json(AskedAdmission, 33_554_432, maxChatValues),
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
