/**
 * Gathers everything that a decision needs. `admit` and `explain` share it.
 *
 * Rule: money#holds.
 */
import {
  type AdmissionReason,
  type CreateAdmission,
  errorMessages,
  type ErrorStatus,
  type ReasonOf,
  type Region
} from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"
import { isLive } from "../access/liveKeys.ts"
import { endOfSecret } from "../access/secretsOfKey.ts"
import { inSlices, LoopTurns, WorkingAccount } from "../value/inSlices.ts"
import { type ScannedMessages, scanMessages } from "../filter/scanMessages.ts"
import { type Fields, modelFields, tooDeep, tooDeepField } from "../request/requestFields.ts"
import { formatInstant } from "../value/calendar.ts"
import { remembered } from "../value/remembered.ts"
import { parseUsd, recordableNanos } from "../value/money.ts"
import { AdmissionSettings } from "../ledger/AdmissionSettings.ts"
import type { Budget, Cost } from "../ports/ledger.ts"
import { budgetsOf } from "../ledger/budgetsOf.ts"
import { type Candidate, type PolicedModel, policedModel, ZdrGroups } from "../policy/Candidate.ts"
import { foldModelName } from "../catalog/modelNames.ts"
import { credentialsOf } from "./credentials.ts"
import type { Question } from "../policy/decide.ts"
import type { CompiledSource } from "../policy/DecisionCache.ts"
import type { Denial } from "../policy/denial.ts"
import { estimateCost, tokenBound, unpricedObjections } from "../ledger/estimateCost.ts"
import { issueOf } from "../policy/explainDenial.ts"
import { measuredSpeeds } from "./measuredSpeeds.ts"
import { type Objection, refusalWith } from "../value/issues.ts"
import { mostCandidates, mostEndpoints, orderCandidates } from "../policy/orderCandidates.ts"
import { type ResolvedRequest, requestedModels, resolveRequest } from "./resolveRequest.ts"
import { type RequestSize, requestSize } from "../request/requestSize.ts"
import { isSameTool, mostServerTools, serverToolsOf } from "../request/serverTools.ts"
import { toolModelObjections } from "../policy/judgeCandidate.ts"

export interface EvaluatedRequest {
  readonly source: CompiledSource
  readonly workspace_id: string
  /** As it may be sent on: after redaction. */
  readonly request: ResolvedRequest
  readonly scan: ScannedMessages
  readonly question: Question
  readonly budgets: readonly Budget[]
  readonly costOf: (candidate: Candidate) => Cost
  readonly size: RequestSize
  /** The tokens that it counts against the limit per minute, if there is one: the most that one of the candidates uses. */
  readonly tokensOf: (candidates: readonly Candidate[]) => number
  /** The completion tokens that the costs include; `null` if the costs were not estimated from tokens. */
  readonly granted: number | null
  /** The part of them that is assumed because the request sets no limit; `undefined` if it sets a limit or its cost. */
  readonly assumed_tokens: number | undefined
}

export type Evaluation =
  | { readonly kind: "weighed"; readonly weighed: EvaluatedRequest }
  | { readonly kind: "refused"; readonly denial: Denial }

const refused = <S extends ErrorStatus>(
  status: S,
  why: ReasonOf<S>,
  scope: "key" | "request",
  field: string,
  value: unknown,
  message: string = errorMessages[status]
): Evaluation => {
  const reason: AdmissionReason = { scope, guardrail_id: null, field, value }
  return {
    kind: "refused",
    denial: { ...refusalWith(status, why, message), reasons: [reason], issues: [issueOf(reason)] }
  }
}

/** The key is unknown or refused: the answer for the data plane's own caller. */
export const unknownKey = refused(
  401,
  "invalid_api_key",
  "key",
  "api_key_hash",
  null,
  "The API key is unknown or was deleted"
)

/** What may not be asked at all with a key. */
const keyRefusal = ({ key }: CompiledSource, millis: number, secret_hash: string): Evaluation | undefined => {
  const now = formatInstant(millis)
  if (key.is_suspended)
    return refused(
      401,
      "account_suspended",
      "key",
      "account_suspended",
      true,
      "The account of the API key is suspended"
    )
  if (!isLive(key, now)) {
    if (key.disabled) return refused(401, "disabled_api_key", "key", "disabled", true, "The API key is disabled")
    return key.revoked_at === null
      ? refused(401, "expired_api_key", "key", "expires_at", key.expires_at, "The API key has expired")
      : refused(401, "revoked_api_key", "key", "revoked_at", key.revoked_at, "The API key was revoked")
  }
  const ended = endOfSecret(key, secret_hash, millis)
  if (ended !== undefined)
    return refused(
      401,
      "revoked_api_key",
      "key",
      "secret",
      ended === null ? null : formatInstant(ended),
      "The API key was rotated: use its newest secret"
    )
  if (key.kind === "normal") return undefined
  const kind = key.kind === "management" ? "Management" : "Gateway"
  return refused(403, "api_key_required", "key", "kind", key.kind, `${kind} keys cannot be used for inference`)
}

/** Of the name of a server tool: it is kept with the size of the request. */
const longestToolName = 128

/**
 * Why the server tools of a request are too many, or the first that the key's workspace disables, under any of its names.
 * Rule: workspaces#server-tools.
 */
const toolRefusal = ({ fields, messages }: ResolvedRequest, { workspace }: CompiledSource): Evaluation | undefined => {
  const { disabled_server_tools: disabled } = workspace
  const tools = serverToolsOf(fields, messages)
  if (tools.length > mostServerTools) return refused(400, "invalid_request", "request", "tools", tools.length)
  const long = tools.find(({ name }) => name.length > longestToolName)
  if (long !== undefined)
    return refused(400, "invalid_request", "request", "tools.name", `${long.name.slice(0, longestToolName)}…`)
  const tool = tools.find(({ name }) => disabled.some((each) => isSameTool(each, name)))
  if (tool === undefined) return undefined
  const message = `The server tool ${tool.name} is disabled in this workspace.`
  return refused(403, "server_tool_disabled", "request", "tools", tool.name, message)
}

/** More are refused where a guardrail lists models: each is looked up in the catalog. */
const mostToolModels = 20

/** Of the models that server tools ask; their number, or the name of one, if they cannot be judged. Rule: guardrails#models-of-tools. */
const modelObjections = Effect.fnUntraced(function* (
  { key, policy }: CompiledSource,
  { fields, messages }: ResolvedRequest
) {
  const { allowed_models, ignored_models } = policy.effective
  if (allowed_models === null && ignored_models.size === 0) return []
  const tools = serverToolsOf(fields, messages)
  const names = [...new Set(tools.flatMap(({ models = [] }) => models))]
  if (names.length > mostToolModels) return names.length
  // A pattern, or a preset, stands for models that are known to the provider alone.
  const hiding = names.find((name) => name.includes("*") || name.includes("@preset/"))
  if (hiding !== undefined) return hiding
  const found: PolicedModel[] = []
  for (const name of names) {
    const [model] = yield* requestedModels(key.account_id, [name, foldModelName(name)])
    found.push(policedModel(name, model))
  }
  return toolModelObjections(policy, found)
})

/** As it may be sent on: after redaction, in what is merged with the preset, too. */
const withScanned = (request: ResolvedRequest, { messages, fields }: ScannedMessages): ResolvedRequest => {
  const sent = changedFields(request, fields)
  return {
    ...request,
    messages: request.messages && messages,
    fields: sent,
    merged: request.merged && { ...request.merged, ...sent }
  }
}

/** Of the fields that no model reads, only redacted ones; the caller has the others. */
const changedFields = ({ passed_on }: ResolvedRequest, scanned: Fields): Fields =>
  Object.fromEntries(Object.entries(scanned).filter(([name, value]) => passed_on[name] !== value))

/** They are decided in less than a millisecond, so that nobody waits for it. */
const fewEndpoints = 50

type Asked = Omit<CreateAdmission, "api_key_hash" | "hold_seconds" | "on_expiry">

/**
 * `default_region`: the ingress region, unless the request names one. `secret_hash`: of the secret that must open the key. `known_version`:
 * of the preset, if the request is repeated.
 */
export const evaluateRequest = Effect.fnUntraced(function* (
  source: CompiledSource,
  asked: Asked,
  default_region: Region,
  secret_hash: string,
  known_version: number | null = null
) {
  const { key } = source
  const refusal = keyRefusal(source, yield* Clock.currentTimeMillis, secret_hash)
  if (refusal !== undefined) return refusal
  const looking = tooDeepField(asked)
  const looked = looking.next()
  // Nearly all requests are looked through in the first step.
  const deep = looked.done === true ? looked.value : yield* inSlices(looking)
  if (deep !== undefined) return yield* tooDeep(deep)
  const { account_id } = key
  const workspace_id = key.workspace_id ?? ""
  const resolution = yield* resolveRequest(account_id, workspace_id, asked, source.workspace, known_version)
  if (resolution.kind === "malformed")
    return refused(400, "invalid_request", "request", resolution.field, resolution.value ?? null)
  if (resolution.kind === "missing") return refused(404, "unknown_preset", "request", "preset", resolution.preset)
  const disabled = toolRefusal(resolution.request, source)
  if (disabled !== undefined) return disabled
  const scan = yield* Effect.provideService(
    scanMessages(source.filters, resolution.request.messages ?? [], {
      reversible: asked.reversible_redaction === true,
      fields: { ...resolution.request.fields, ...resolution.request.passed_on }
    }),
    WorkingAccount,
    account_id
  )
  const request = withScanned(resolution.request, scan)
  // A label may have made the name of a tool.
  const made = toolRefusal(request, source)
  if (made !== undefined) return made
  if (request.models.length === 0) return refused(400, "invalid_request", "request", "model", null)
  const ofTools = yield* modelObjections(source, request)
  if (typeof ofTools !== "object") return refused(400, "invalid_request", "request", "tools.models", ofTools)

  const models = yield* requestedModels(account_id, request.models)
  const endpoints = models.reduce((sum, model) => sum + model.endpoints.length, 0)
  if (endpoints > mostEndpoints) return refused(400, "invalid_request", "request", "models", request.models.length)
  // Very many such requests of one account are decided one in a turn of the loop.
  if (endpoints > fewEndpoints) yield* (yield* LoopTurns).next(account_id)
  const candidates = orderCandidates(
    {
      models,
      credentials: yield* credentialsOf(account_id, workspace_id),
      zdrGroups: yield* ZdrGroups
    },
    { api_key_hash: key.hash, user_id: key.user_id },
    request.provider,
    yield* measuredSpeeds(account_id, models, request.provider)
  )
  if (candidates.length > mostCandidates)
    return refused(400, "invalid_request", "request", "models", request.models.length)
  const { completion_ceiling, billed_attempts, unpriced_ceiling_usd } = yield* AdmissionSettings
  const budgets = budgetsOf(key, source.guardrails, source.workspace)
  const fixed = asked.max_cost_usd == null ? undefined : parseUsd(asked.max_cost_usd)
  const unpriced = unpriced_ceiling_usd === null ? undefined : parseUsd(unpriced_ceiling_usd)
  const granted = request.max_completion_tokens ?? completion_ceiling
  const completion_tokens = Math.max(granted, request.further_completion_tokens)
  const counts = source.rate_limits?.tokens_per_minute != null
  const measures = counts || (budgets.length > 0 && fixed === undefined)
  // A request that a filter blocks is priced as without that filter.
  const sent = measures ? yield* scan.unhindered : scan
  const messages = resolution.request.messages && sent.messages
  const reckoned = yield* inSlices(
    requestSize({ ...request, messages, fields: modelFields(sent.fields) }, asked.extra_prompt_bytes ?? 0)
  )
  const size: RequestSize = { completion_tokens, ...reckoned }
  const attempts = BigInt(billed_attempts)
  const countsByok = budgets.some(({ include_byok }) => include_byok)
  /** Why the cost of a candidate cannot be bounded; irrelevant if no budget applies. */
  const unpricedAt = ({ endpoint, source: capacity }: Candidate): readonly Objection[] =>
    capacity === "byok" && !countsByok ? [] : unpricedOf(endpoint)
  // An endpoint has a candidate for each credential, and each is asked several times.
  const unpricedOf = remembered((endpoint: Candidate["endpoint"]) => unpricedObjections(endpoint, size, request.tier))
  const knownOf = remembered((endpoint: Candidate["endpoint"]) =>
    recordableNanos(estimateCost(endpoint, size) * attempts)
  )
  /** At least the ceiling where a price is unknown. Never more than can be recorded: no charge is above that. */
  const boundAt = (candidate: Candidate): bigint => {
    const known = knownOf(candidate.endpoint)
    return unpriced !== undefined && known < unpriced && unpricedAt(candidate).length > 0 ? unpriced : known
  }
  const costOf = (candidate: Candidate): Cost => ({
    nanos: fixed ?? (budgets.length === 0 ? 0n : boundAt(candidate)),
    byok: candidate.source === "byok"
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
        terms: {
          ingress_region: asked.ingress_region ?? default_region,
          provider: request.provider,
          parameters: request.parameters
        },
        models: request.models,
        is_listed: models.length > 0,
        candidates,
        objections: [...scan.objections, ...ofTools],
        ...(budgets.length === 0 || fixed !== undefined || unpriced !== undefined ? {} : { unpriced: unpricedAt })
      },
      budgets,
      costOf,
      size,
      tokensOf: (all) =>
        Math.min(
          Number.MAX_SAFE_INTEGER,
          all.reduce((most, { endpoint }) => Math.max(most, tokenBound(endpoint, size)), 0)
        ),
      assumed_tokens: request.max_completion_tokens === null && fixed === undefined ? completion_ceiling : undefined,
      granted: measures ? granted : request.max_completion_tokens
    }
  } satisfies Evaluation
})
