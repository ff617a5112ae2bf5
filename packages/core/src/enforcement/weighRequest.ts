/**
 * Everything that a decision needs, gathered once: `admit` and `explain` differ only in what they do with it.
 *
 * Source: decisions 14.
 */
import { type CreateAdmission, errorMessages, type Region } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import { isLive } from "../access/isLive.ts"
import { ByokCredentials } from "../byok/ByokCredentials.ts"
import { type ScannedMessages, scanMessages } from "../contentFilter/scanMessages.ts"
import { formatInstant } from "../platform/timestamp.ts"
import { parseUsd } from "../usage/money.ts"
import { AdmissionSettings } from "./AdmissionSettings.ts"
import type { Budget, Cost } from "./Budget.ts"
import { budgetsOf } from "./budgetsOf.ts"
import type { Candidate } from "./Candidate.ts"
import type { Question } from "./decide.ts"
import { type CompiledSource, DecisionCache } from "./DecisionCache.ts"
import type { Denial } from "./denial.ts"
import { estimateCost } from "./estimateCost.ts"
import { orderCandidates } from "./orderCandidates.ts"
import { promptSize } from "./promptSize.ts"
import { requestedModels } from "./requestedModels.ts"
import { type ResolvedRequest, resolveRequest } from "./resolveRequest.ts"
import { ZdrGroups } from "./zdrGroups.ts"

export interface Weighed {
  readonly source: CompiledSource
  readonly workspace_id: string
  /** As it may be sent on: after redaction. */
  readonly request: ResolvedRequest
  readonly scan: ScannedMessages
  readonly question: Question
  readonly budgets: readonly Budget[]
  readonly costOf: (candidate: Candidate) => Cost
  /** What it may use of a minute's tokens, where they are counted. */
  readonly tokens: number
  /** The completion tokens that the costs pay for; `null` when they were not estimated from tokens. */
  readonly granted: number | null
}

export type Weighing =
  | { readonly kind: "weighed"; readonly weighed: Weighed }
  | { readonly kind: "refused"; readonly denial: Denial }

const refused = (
  status: number,
  message: string,
  scope: "key" | "request",
  field: string,
  value: unknown
): Weighing => ({
  kind: "refused",
  denial: {
    status,
    error: { code: status, message },
    reasons: [{ scope, guardrail_id: null, field, value }]
  }
})

/** No key, or one that is not let in: what the data plane's own caller should be told. */
export const unknownKey = refused(401, errorMessages[401], "key", "api_key_hash", null)

/** What may not be asked at all with a key. */
const keyRefusal = ({ key }: CompiledSource, now: string): Weighing | undefined => {
  if (!isLive(key, now))
    return key.disabled
      ? refused(401, errorMessages[401], "key", "disabled", true)
      : refused(401, errorMessages[401], "key", "expires_at", key.expires_at)
  return key.kind === "management"
    ? refused(403, "Management keys cannot be used for inference", "key", "kind", key.kind)
    : undefined
}

/** A workspace has a handful of credentials; more than this are not looked at. */
const maxCredentials = 10_000

const credentialsOf = Effect.fnUntraced(function* (account_id: string, workspace_id: string) {
  const { credentials } = yield* DecisionCache
  return yield* credentials.get(
    workspace_id,
    Effect.flatMap(ByokCredentials, (port) =>
      Effect.map(port.list(account_id, { workspace_id }, { limit: maxCredentials, offset: 0 }), ({ data }) => data)
    )
  )
})

type Asked = Omit<CreateAdmission, "api_key_hash" | "hold_seconds">

/** `default_region`: where the request came in, unless it says so itself. */
export const weighRequest = Effect.fnUntraced(function* (source: CompiledSource, asked: Asked, default_region: Region) {
  const { key } = source
  const refusal = keyRefusal(source, formatInstant(yield* Clock.currentTimeMillis))
  if (refusal !== undefined) return refusal
  const { account_id } = key
  const workspace_id = key.workspace_id ?? ""
  const resolution = yield* resolveRequest(account_id, workspace_id, asked)
  if (resolution.kind === "malformed")
    return refused(400, errorMessages[400], "request", resolution.field, asked[resolution.field] ?? null)
  if (resolution.kind === "missing") return refused(404, errorMessages[404], "request", "preset", resolution.preset)
  const scan = yield* scanMessages(source.filters, resolution.request.messages ?? [], {
    reversible: asked.reversible_redaction === true
  })
  const request = { ...resolution.request, messages: resolution.request.messages && scan.messages }
  if (request.models.length === 0) return refused(400, errorMessages[400], "request", "model", null)

  const candidates = orderCandidates(
    {
      models: yield* requestedModels(request.models),
      credentials: yield* credentialsOf(account_id, workspace_id),
      zdrGroups: yield* ZdrGroups
    },
    { api_key_hash: key.hash, user_id: key.user_id },
    request.provider
  )
  const { completion_ceiling, billed_attempts } = yield* AdmissionSettings
  const budgets = budgetsOf(key, source.guardrails, source.workspace)
  const fixed = asked.max_cost_usd == null ? undefined : parseUsd(asked.max_cost_usd)
  const completion_tokens = request.max_completion_tokens ?? completion_ceiling
  const counts = source.rate_limits?.tokens_per_minute != null
  const measures = counts || (budgets.length > 0 && fixed === undefined)
  // What a filter refuses would cost what it costs without that filter.
  const size = measures ? promptSize(resolution.request.messages && (yield* scan.unhindered)) : undefined
  const costOf = ({ endpoint, source: capacity }: Candidate): Cost => ({
    nanos:
      fixed ??
      (size === undefined ? 0n : estimateCost(endpoint, { ...size, completion_tokens }) * BigInt(billed_attempts)),
    byok: capacity === "byok"
  })
  return {
    kind: "weighed",
    weighed: {
      source,
      workspace_id,
      request,
      scan,
      question: {
        policy: source.policy,
        terms: { ingress_region: asked.ingress_region ?? default_region, provider: request.provider },
        models: request.models,
        candidates,
        objections: scan.objections
      },
      budgets,
      costOf,
      tokens: size === undefined ? 0 : (size.prompt_bytes ?? 0) + completion_tokens,
      granted: size === undefined ? request.max_completion_tokens : completion_tokens
    }
  } satisfies Weighing
})
