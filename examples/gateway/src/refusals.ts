/** What a client is told that gets no answer of a model. */
import { type AdmittedCandidate, type AvailabilityCode, errorMessages } from "@gatewarden/contract"
import type { GrantedAdmission } from "@gatewarden/core"
import type { Answer } from "./Answer.ts"
import type { Asked, Dialect } from "./dialects/Dialect.ts"
import { dialects } from "./dialects/dialects.ts"
import type { Attempt, Dispatched } from "./dispatch.ts"
import { knownUpstreams } from "./knownUpstreams.ts"
import { upstreamName } from "./Upstream.ts"

/** Statuses of a provider that has no room now: 529 is Anthropic's. */
const full: readonly (number | null)[] = [429, 503, 529]

/** Statuses that do not pass by themselves: a key or a model that the provider does not take. */
const lasting: readonly (number | null)[] = [401, 402, 403, 404]

/** Why no provider answers, by the codes of the public API. Rule: admissions#availability. */
const availabilityCode = (attempts: readonly Attempt[]): AvailabilityCode | undefined => {
  if (attempts.every(({ status }) => full.includes(status))) return "capacity_exhausted"
  return attempts.every(({ status }) => lasting.includes(status)) ? undefined : "temporarily_unavailable"
}

/**
 * What is wrong with the key or the name of the model, and a private endpoint without a credential, is the caller's to mend. Other issues
 * tell of rules and budgets of others.
 */
export const issuesFor = ({ issues }: Pick<GrantedAdmission, "issues">) => {
  const own = issues.filter(({ code, path }) => code === "key" || code === "catalog" || path === "byok")
  return own.length === 0 ? {} : { issues: own }
}

/** Why the other candidates were not asked. */
const spent = {
  issues: [
    {
      path: "attempts",
      code: "billed_attempt",
      message: "The last provider may bill for what it was sent, and the budget holds one request: no other was asked"
    }
  ]
}

/** What was bought cannot be held. Rule: requests#answers-in-flight. */
export const noRoom = ({ refusal }: Pick<Dialect, "refusal">, request_id: string): Answer =>
  refusal(503, errorMessages[503], { request_id, reason: "answers_in_flight" }, { "retry-after": "5" })

/** Tells a caller what the management API would. Money that was held is given back by whoever calls this. */
export const unanswered = (
  { refusal }: Dialect,
  { attempts, is_spent }: Extract<Dispatched, { kind: "failed" }>,
  candidates: readonly AdmittedCandidate[],
  { decided: { model, models } }: Asked,
  request_id: string
) => {
  if (attempts.length === 0) {
    const providers = [...new Set(candidates.map(({ provider }) => provider))]
    // Private endpoints are never asked with the gateway's own key, nor are models that accounts wrote.
    const shared = candidates.filter(({ upstream, own_model }) => upstream === undefined && own_model === undefined)
    const names = new Set(shared.map((candidate) => upstreamName(knownUpstreams, candidate)))
    const variables = [...names].map((name) => knownUpstreams[name]?.variable ?? "GATEWAY_UPSTREAMS")
    const started = variables.length === 0 ? "" : `start the gateway with ${variables.join(" or ")}, or `
    return refusal(503, `No key for ${providers.join(" or ")}: ${started}bring one to the workspace (POST /byok)`, {
      request_id,
      reason: "no_upstream",
      providers
    })
  }
  if (attempts.at(-1)?.no_room === true) return noRoom({ refusal }, request_id)
  const told = attempts.map(({ candidate, status, message }) => ({ provider: candidate.provider, status, message }))
  const requested_models = models ?? (model == null ? [] : [model])
  const code = availabilityCode(attempts)
  const availability = code === undefined ? {} : { availability: { code, retryable: true, requested_models } }
  const metadata = { request_id, reason: "provider_failed", attempts: told, ...availability, ...(is_spent && spent) }
  if (attempts.some(({ status }) => status !== 429)) return refusal(502, errorMessages[502], metadata)
  const wait = Math.min(...attempts.map(({ retry_after }) => Math.max(retry_after ?? 1, 1)))
  return refusal(429, errorMessages[429], metadata, { "retry-after": String(wait) })
}

export const rejected = (
  { refusal }: Dialect,
  { candidate: { provider }, status, message }: Attempt,
  request_id: string
): Answer =>
  refusal(status ?? 400, message ?? errorMessages[502], { request_id, provider_name: provider, raw: message })

/** Other models may be reached at this path, and this model at others. */
export const unspoken = (
  { path, refusal }: Dialect,
  { candidates }: GrantedAdmission,
  spoken: readonly string[],
  request_id: string
): Answer => {
  const paths = dialects.filter(({ name }) => spoken.includes(name)).map((each) => each.path)
  const model = candidates[0]?.model ?? "this model"
  return refusal(404, `No provider of ${model} answers ${path}. It is answered at ${paths.join(", ")}.`, {
    request_id,
    reason: "api_not_spoken",
    paths
  })
}

export const noKey = ({ refusal }: Dialect, request_id: string): Answer =>
  refusal(401, errorMessages[401], {
    request_id,
    reason: "missing_authentication",
    issues: [
      {
        path: "header.authorization",
        code: "missing_authentication",
        message: "Expected one header `Authorization: Bearer <key>`"
      }
    ]
  })

/** The provider answered what cannot be written for a client. */
export const unreadable = ({ refusal }: Dialect, { provider }: AdmittedCandidate, request_id: string): Answer =>
  refusal(502, errorMessages[502], { request_id, reason: "provider_failed", provider_name: provider })
