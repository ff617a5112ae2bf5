/**
 * Explanations: the decision of an admission with every reason for every endpoint. They change nothing.
 *
 * Rule: admissions#explanations. Source: docs/decisions/0003-decisions-and-money.md.
 */
import * as z from "zod"
import {
  AdmissionReason,
  CreateAdmission,
  DenialError,
  ExplainedBudget,
  ExplainedCandidate,
  Finding,
  PolicyEdit,
  ReasonScope,
  requestObject,
  requireAnswer
} from "./admission.ts"
import { Issue } from "./error.ts"
import { UpdateGuardrail } from "./guardrail.ts"
import { json, maxChatValues, operation } from "./operation.ts"
import { dataOf, instant, keyHash, Region, timestamp, uuid } from "./primitives.ts"

/** A proposed guardrail: the one that applies in this scope with a change, or a new one if none applies. */
const ProposedChange = z.object({ scope: z.enum(["workspace", "member", "key"]), patch: UpdateGuardrail })
export type ProposedChange = z.output<typeof ProposedChange>

/** A range of recorded usage; the start is inclusive, the end exclusive. */
const Replay = z.object({ start: instant("invalid_time_range"), end: instant("invalid_time_range") })

/** A request as in an admission, or a stretch of recorded usage; either in the world as it is, or with a proposed change. */
export const CreateExplanation = requestObject({
  ...CreateAdmission.shape,
  api_key_hash: keyHash.nullish().transform((hash) => hash ?? undefined),
  guardrail: ProposedChange.nullish(),
  replay: Replay.nullish()
})
  .superRefine((value, context) => {
    if (value.replay == null && value.api_key_hash === undefined)
      context.addIssue({
        code: "custom",
        path: ["api_key_hash"],
        params: { code: "invalid_type" },
        message: "Expected the key that makes the request, or a replay"
      })
  })
  .meta({ id: "CreateExplanation" })
export type CreateExplanation = z.output<typeof CreateExplanation>

const ExplainedWarning = z
  .object({
    scope: z.enum(["workspace", "member", "key"]),
    guardrail_id: uuid,
    field: z.enum(["allowed_models", "allowed_providers", "ignored_models", "ignored_providers"]),
    value: z.string()
  })
  .meta({ id: "ExplainedWarning" })
export type ExplainedWarning = z.output<typeof ExplainedWarning>

const explanation = z
  .object({
    decision: z.enum(["allow", "deny"]),
    status: z.int().nullable(),
    error: DenialError.nullable(),
    candidates: z.array(ExplainedCandidate),
    /**
     * On `deny` as in an admission, at least one: rules that deny the request as a whole (its region, its content, its rate), or else
     * every rule that removed an endpoint.
     */
    reasons: z.array(AdmissionReason),
    /** A sentence for each of the reasons, in the same order: `path` is its field, `code` its scope. */
    issues: z.array(Issue),
    findings: z.array(Finding),
    budgets: z.array(ExplainedBudget),
    regions: z.object({
      /** Where the request came in. */
      ingress: Region,
      /** Where the guardrails allow it to come in. */
      allowed: z.array(Region),
      /**
       * `ingress`: the guardrails do not allow the region that the request came in by. `endpoint`: no endpoint of the requested models
       * lies in the region that it comes in by, or would have to.
       */
      missing: z.array(z.enum(["ingress", "endpoint"]))
    }),
    /**
     * Edits that allow the request, none of which can be left out; `null` when no edit can. A request from a closed region is to come in
     * by an allowed one (`ingress_region`); no edit opens the region, unless the guardrails have none in common.
     */
    smallest_change: z.array(PolicyEdit).nullable(),
    /** Names in lists of allowed or ignored names that match nothing in the catalog, most often typing errors. */
    warnings: z.array(ExplainedWarning)
  })
  .superRefine(requireAnswer("status", "error"))
  .meta({ id: "Explanation" })
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

/** How the recorded requests would have been decided. */
export const ReplayReport = z
  .object({
    events: z.int(),
    blocked: z.int(),
    /** Hashes of the keys that would have been blocked, and how often. */
    keys: z.array(z.object({ api_key_hash: z.string(), blocked: z.int(), blocked_usd: z.string() })),
    blocked_usd: z.string(),
    by_reason: z.array(
      z.object({
        scope: ReasonScope,
        guardrail_id: uuid.nullable(),
        field: z.string(),
        blocked: z.int(),
        blocked_usd: z.string()
      })
    ),
    start: timestamp,
    end: timestamp
  })
  .meta({ id: "ReplayReport" })
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
  success: { schema: dataOf(z.union([Explanation, ReplayReport])) },
  errors: [400, 401, 403, 408, 500],
  example: {
    body: {
      api_key_hash: "c1a6cbb6ad0ebd72c7a4a1f1fa3ba7c7a3ccb0a9f6a35ea1d2f1e6ae53e6b3d4",
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
