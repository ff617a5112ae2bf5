/**
 * Explanations: the decision of an admission with every reason for every endpoint. They change nothing.
 *
 * Rule: admissions#explanations. Source: docs/decisions/0003-decisions-and-money.md.
 */
import * as z from "zod"
import {
  AdmissionReason,
  AdmittedCandidate,
  CreateAdmission,
  DenialError,
  Finding,
  ReasonScope,
  requestObject,
  requireAnswer
} from "./admission.ts"
import { ExplainedBudget } from "./budget.ts"
import { namedKey, requireKey } from "./namedKey.ts"
import { Issue } from "./error.ts"
import { UpdateGuardrail } from "./guardrail.ts"
import { json, maxChatValues, operation } from "./operation.ts"
import { dataOf, instant, Region, timestamp, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  scope: "Where the rule comes from.",
  blocked: "Number of requests that would have been denied.",
  blocked_usd: "USD that the denied requests cost, as a decimal string."
} as const

export const PolicyEdit = z
  .object({
    scope: ReasonScope.describe("Where the edited field is."),
    guardrail_id: uuid.nullable().describe("Id of the guardrail. `null`: the field does not belong to a guardrail."),
    field: z.string().describe("Field to edit, as its resource names it."),
    from: z.unknown().describe("Present value of the field."),
    to: z.unknown().describe("Proposed value of the field.")
  })
  .meta({
    id: "PolicyEdit",
    description: "An edit of one field of one resource, from its present value to the proposed one."
  })
export type PolicyEdit = z.output<typeof PolicyEdit>

export const ExplainedCandidate = z
  .object({
    ...AdmittedCandidate.shape,
    data_regions: z
      .array(Region)
      .describe(
        "Regions in which the request would be processed, as the catalog declares them for the endpoint, or the account for its credential."
      ),
    allowed: z.boolean().describe("Whether the request may be sent to the endpoint."),
    reasons: z.array(AdmissionReason).describe("Every rule that removed the endpoint. Empty: it is allowed.")
  })
  .meta({ id: "ExplainedCandidate", description: "An endpoint with every rule that removed it." })
export type ExplainedCandidate = z.output<typeof ExplainedCandidate>

/** A proposed guardrail: the one that applies in this scope with a change, or a new one if none applies. */
const ProposedChange = z.object({
  scope: z
    .enum(["workspace", "member", "key"])
    .describe("Guardrail that changes: the workspace's, the user's or the key's."),
  patch: UpdateGuardrail.describe(
    "Proposed fields of the guardrail. If none applies in this scope, a new one is assumed."
  )
})
export type ProposedChange = z.output<typeof ProposedChange>

/** A range of recorded usage; the start is inclusive, the end exclusive. */
const Replay = z.object({
  start: instant("invalid_time_range").describe("Start of the range of recorded usage, inclusive."),
  end: instant("invalid_time_range").describe("End of the range of recorded usage, exclusive.")
})

export const CreateExplanation = requestObject({
  ...CreateAdmission.shape,
  ...namedKey,
  guardrail: ProposedChange.nullish().describe(
    "Change of a guardrail to assume. `null` or absent: the policies as they are."
  ),
  replay: Replay.nullish().describe("Range of recorded usage to decide on in place of one request.")
})
  .superRefine((value, context) => {
    if (value.replay == null || (value.api_key != null && value.api_key_hash != null))
      requireKey(value, context, "Expected the key that makes the request, api_key or api_key_hash, or a replay")
  })
  .meta({
    id: "CreateExplanation",
    description: "A request to explain, or a range of recorded usage to decide on again."
  })
export type CreateExplanation = z.output<typeof CreateExplanation>

const ExplainedWarning = z
  .object({
    scope: z.enum(["workspace", "member", "key"]).describe(about.scope),
    guardrail_id: uuid.describe("Id of the guardrail that has the name."),
    field: z
      .enum(["allowed_models", "allowed_providers", "ignored_models", "ignored_providers"])
      .describe("List that has the name."),
    value: z.string().describe("The name that matches nothing in the catalog.")
  })
  .meta({ id: "ExplainedWarning", description: "An allowed or ignored name that matches nothing in the catalog." })
export type ExplainedWarning = z.output<typeof ExplainedWarning>

const explanation = z
  .object({
    decision: z.enum(["allow", "deny"]).describe("Decision that an admission would get."),
    status: z.int().nullable().describe("HTTP status that a data plane would answer. `null` on `allow`."),
    error: DenialError.nullable().describe("Error that a data plane would answer. `null` on `allow`."),
    candidates: z
      .array(ExplainedCandidate)
      .describe("Every endpoint of the requested models, with the rules that removed it."),
    reasons: z
      .array(AdmissionReason)
      .describe("On `deny`, the rules that deny the whole request, or otherwise every rule that removed an endpoint."),
    issues: z
      .array(Issue)
      .describe("A sentence for each of `reasons`, in the same order. `path` is the field, `code` the scope."),
    findings: z.array(Finding).describe("Findings of the content filters."),
    budgets: z.array(ExplainedBudget).describe("Every budget that applies to the request."),
    regions: z
      .object({
        ingress: Region.describe("Region through which the request came in."),
        allowed: z.array(Region).describe("Regions through which the guardrails let requests come in."),
        missing: z
          .array(z.enum(["ingress", "endpoint"]))
          .describe(
            "`ingress`: the guardrails do not allow the region of the request. `endpoint`: no endpoint of the requested models lies in that region."
          )
      })
      .describe("Regions of the request, and those that are missing."),
    smallest_change: z
      .array(PolicyEdit)
      .nullable()
      .describe(
        "Fewest edits that allow the request. `null`: no edit can. `ingress_region` of scope `request` means that the request must come in through another region."
      ),
    warnings: z
      .array(ExplainedWarning)
      .describe("Allowed or ignored names that match nothing in the catalog, most often typing errors.")
  })
  .superRefine(requireAnswer("status", "error"))
  .meta({ id: "Explanation", description: "Decision on a request with all its reasons." })
type AnyExplanation = z.output<typeof explanation>

export interface AllowedExplanation extends AnyExplanation {
  readonly decision: "allow"
  readonly status: null
  readonly error: null
}

export interface DeniedExplanation extends AnyExplanation {
  readonly decision: "deny"
  /** The HTTP status that an admission would have. */
  readonly status: number
  /** The `error` that an admission would have. */
  readonly error: DenialError
}

/** Discriminated by `decision`. */
export const Explanation = explanation as unknown as z.ZodType<AllowedExplanation | DeniedExplanation>
export type Explanation = AllowedExplanation | DeniedExplanation

export const ReplayReport = z
  .object({
    events: z.int().describe("Number of recorded requests in the range."),
    blocked: z.int().describe("Number of them that would have been denied."),
    keys: z
      .array(
        z.object({
          api_key_hash: z.string().describe("Hash of an API key whose requests would have been denied."),
          blocked: z.int().describe(about.blocked),
          blocked_usd: z.string().describe(about.blocked_usd)
        })
      )
      .describe("API keys whose requests would have been denied."),
    blocked_usd: z.string().describe(about.blocked_usd),
    by_reason: z
      .array(
        z.object({
          scope: ReasonScope.describe(about.scope),
          guardrail_id: uuid
            .nullable()
            .describe("Id of the guardrail. `null`: the rule does not belong to a guardrail."),
          field: z.string().describe("Field of the rule, as its resource names it."),
          blocked: z.int().describe(about.blocked),
          blocked_usd: z.string().describe(about.blocked_usd)
        })
      )
      .describe("Rules that would have denied requests."),
    start: timestamp.describe("Start of the range, inclusive."),
    end: timestamp.describe("End of the range, exclusive.")
  })
  .meta({ id: "ReplayReport", description: "How the recorded requests would have been decided." })
export type ReplayReport = z.output<typeof ReplayReport>

export const createExplanation = operation({
  id: "createExplanation",
  method: "POST",
  path: "/gateway/explanations",
  tag: "Gateway",
  changes: "nothing",
  summary: "Explain a decision, or replay recorded usage",
  description:
    "The same code decides as for an admission, and nothing changes. With `guardrail` it answers for the changed world; with `replay` it says what of the recorded usage would have been blocked.",
  access: "managementKey",
  gatewayKey: true,
  body: json(CreateExplanation, 33_554_432, maxChatValues),
  success: {
    schema: dataOf(
      z.union([Explanation, ReplayReport]).describe("The explanation of the request, or the report of the replay.")
    )
  },
  errors: [400, 401, 403, 408, 500],
  example: {
    body: {
      api_key_hash: "894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a",
      model: "acme/sonnet"
    },
    response: {
      data: {
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
            label: null,
            data_regions: ["global"],
            allowed: true,
            reasons: []
          }
        ],
        reasons: [],
        issues: [],
        findings: [],
        budgets: [],
        regions: { ingress: "global", allowed: ["global", "europe", "us"], missing: [] },
        smallest_change: [],
        warnings: []
      }
    }
  }
})
