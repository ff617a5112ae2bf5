/**
 * A sentence for each reason of a denial: where the rule comes from, its value, and the remedy. It is for whoever manages the policies.
 * The data plane's own caller reads `error`, which reveals nothing about others' policies and spending.
 *
 * Rule: admissions#denials.
 */
import type { AdmissionReason, Issue, Region } from "@gatewarden/contract/internal"
import { fieldOf } from "../ledger/judgeBudgets.ts"
import { costTo } from "../ledger/judgeHolds.ts"
import type { Budget, BudgetState, Cost } from "../ports/ledger.ts"
import { formatUsd, largest, parseUsd } from "../value/money.ts"
import type { Candidate } from "./Candidate.ts"
import type { RegionFacts } from "./requestRules.ts"

/** The cost of a request, and what its budgets have left. */
export interface Bill {
  readonly states: readonly BudgetState[]
  readonly costOf: (candidate: Candidate) => Cost
  /** Output tokens that are assumed because the request sets no limit; `undefined` if it sets one. */
  readonly assumed_tokens: number | undefined
}

/** The remainder of an exceeded budget, and the cost of the cheapest candidate; nano-dollars. */
export interface Shortfall {
  readonly budget: Budget
  readonly left_nanos: bigint
  readonly held_nanos: bigint
  readonly reserved_nanos: bigint
  readonly assumed_tokens: number | undefined
}

/** USD with cents at least, and every decimal that an amount has. */
const dollars = (nanos: bigint): string => {
  const [whole, fraction = ""] = formatUsd(nanos).split(".")
  return `$${whole}.${fraction.padEnd(2, "0")}`
}

/** A limit as its resource has it. */
export const limitText = (value: unknown): string => dollars(parseUsd(Number(value)) ?? 0n)

/** Undefined if the reason is not a budget of the bill. `candidates`: those that only budgets removed. */
export const shortfallOf = (
  reason: AdmissionReason,
  bill: Bill,
  candidates: readonly Candidate[]
): Shortfall | undefined => {
  const state = bill.states.find(
    ({ budget }) =>
      budget.scope === reason.scope && budget.guardrail_id === reason.guardrail_id && fieldOf(budget) === reason.field
  )
  if (state === undefined || candidates.length === 0) return undefined
  const { budget, spent_nanos, held_nanos } = state
  const costs = candidates.map((candidate) => costTo(budget, bill.costOf(candidate)))
  return {
    budget,
    left_nanos: largest([budget.limit_nanos - spent_nanos - held_nanos]),
    held_nanos,
    reserved_nanos: costs.reduce((least, cost) => (cost < least ? cost : least)),
    assumed_tokens: bill.assumed_tokens
  }
}

/** What would be reserved, what is left, and the remedy. */
export const shortfallText = ({ left_nanos, held_nanos, reserved_nanos, assumed_tokens }: Shortfall): string => {
  const assumed =
    assumed_tokens === undefined
      ? ""
      : ` (${assumed_tokens.toLocaleString("en-US")} output tokens are assumed, because it sends no max_tokens)`
  const held = held_nanos === 0n ? "" : `, with ${dollars(held_nanos)} held by requests in flight`
  const smaller = assumed_tokens === undefined ? "Lower max_tokens or shorten the prompt" : "Send max_tokens"
  return `This request reserves ${dollars(reserved_nanos)}${assumed}; ${dollars(left_nanos)} of the limit is left${held}. ${smaller}, or raise the limit.`
}

/** The same as data, in `error.metadata`. */
export const shortfallFacts = ({ budget, left_nanos, reserved_nanos, assumed_tokens }: Shortfall) => ({
  limit_usd: formatUsd(budget.limit_nanos),
  left_usd: formatUsd(left_nanos),
  reserved_usd: formatUsd(reserved_nanos),
  assumed_completion_tokens: assumed_tokens ?? null
})

const owners: Partial<Record<AdmissionReason["scope"], string>> = {
  workspace: "The workspace's default guardrail",
  workspace_default_member: "For each member, over all keys of the member in the workspace, the default guardrail",
  workspace_default_key: "For each key, the workspace's default guardrail",
  member: "A guardrail of the key's user",
  key: "A guardrail of the key"
}

const longest = 200

const shown = (value: unknown): string => {
  // The first entries of a list are more than is shown.
  const text = JSON.stringify(Array.isArray(value) ? value.slice(0, longest) : value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const keyTexts: Readonly<Record<string, (value: unknown) => string>> = {
  api_key_hash: () => "No key of this account has this hash: it was never made here, or it was deleted.",
  disabled: () => "The key is disabled. Enable it with PATCH /keys/{hash}.",
  account_suspended: () => "The account of the key is suspended. The operator of this server can resume it.",
  revoked_at: (value) => `The key was revoked at ${String(value)}. Use another key.`,
  expires_at: (value) => `The key ended at ${String(value)}. Use another key.`,
  secret: (value) =>
    `The key was rotated${value === null ? "" : `, and this secret of it ended at ${String(value)}`}. Use its newest secret.`,
  kind: () => "A management key cannot send model requests. Send the hash of an API key."
}

const requestTexts: Readonly<Record<string, (value: unknown) => string>> = {
  ingress_region: (value) => `The request came in through ${String(value)}, and this endpoint does not lie there.`,
  model: (value) =>
    value === null
      ? "Neither the request nor its preset names a model."
      : `${shown(value)} is not the name of a model or preset.`,
  models: (value) =>
    `The ${String(value)} models of the request have more endpoints and candidates than are judged at once. Name fewer models.`,
  preset: (value) => `The key's workspace has no preset ${shown(value)}, or not this version of it.`,
  tools: (value) =>
    typeof value === "number"
      ? `The request has at least ${value} server tools, more than are judged at once. Send fewer.`
      : `The key's workspace disables the server tool ${shown(value)}. Take it out of disabled_server_tools with PATCH /workspaces/{id}.`,
  "tools.name": (value) => `The name of a server tool is too long: ${shown(value)}.`,
  "tools.models": (value) =>
    typeof value === "number"
      ? `The server tools of the request name ${value} models, more than are judged at once. Name fewer.`
      : `A server tool names ${shown(value)}, which may stand for any model. Name the model itself.`
}

const namedRegions: Readonly<Record<Region, string>> = { global: "any", europe: "eu", us: "us" }

/** At most this many endpoints are named. */
const namedEndpoints = 5

/** The endpoints of the requested models that lie in a region, or how to find and add some. */
const endpointsText = ({ served }: RegionFacts): string => {
  const first = served.find(({ candidates }) => candidates.length > 0)
  if (first !== undefined) {
    const tags = new Set(first.candidates.map(({ model, endpoint_tag }) => `${model} at ${endpoint_tag}`))
    const more = tags.size > namedEndpoints ? `, and ${tags.size - namedEndpoints} more` : ""
    return `Endpoints that may serve it there: ${[...tags].slice(0, namedEndpoints).join(", ")}${more}.`
  }
  const regions = served.map(({ region }) => region)
  const queries = regions.map((region) => `GET /models?region=${namedRegions[region]}`).join(" or ")
  return `No endpoint of the requested models has ${regions.join(" or ")} in its data_regions. ${queries} lists models that have one; PUT /gateway/catalog adds an endpoint or its data_regions. A BYOK credential whose account lies there opens those of its provider, if it says so in declared_region.`
}

/** Which ingress is missing, and how to provide it. */
const ingressText = (facts: RegionFacts): string => {
  const { ingress, allowed } = facts
  const came = `This request came in through ${ingress}.`
  if (allowed.length === 0) return `${came} The guardrails of this key have no region in common.`
  const to = facts.served.find(({ candidates }) => candidates.length > 0)
  const region = to?.region ?? allowed[0]
  return `${came} Send it to a server with GATEWARDEN_REGION=${region} or to a host that GATEWARDEN_REGION_HOSTS lists for ${region}, or send "ingress_region": "${region}" with the admission.`
}

const regionText = ({ field }: AdmissionReason, facts: RegionFacts): string | undefined => {
  if (field === "allowed_data_regions")
    return facts.served.length === 0 ? ingressText(facts) : `${ingressText(facts)} ${endpointsText(facts)}`
  if (field === "ingress_region") return endpointsText(facts)
  return undefined
}

const textOf = ({ scope, guardrail_id, field, value }: AdmissionReason): string => {
  switch (scope) {
    case "key_limit":
      return `The key's limit is ${limitText(value)}.`
    case "workspace_budget":
      return `The workspace's ${field.replace("budgets.", "")} budget is ${limitText(value)}.`
    case "rate_limit":
      return `The key's limit of ${shown(value)} ${field.replaceAll("_", " ")} is used up. Retry later, or raise it with PUT /keys/{hash}/rate-limits.`
    case "credential":
      if (field === "byok")
        return `The workspace has no credential of ${shown(value)} that this key may use for this model, which its private endpoint needs. Add one with POST /byok.`
      return `A credential of the workspace rules this endpoint out: ${field} is ${shown(value)}.`
    case "catalog":
      return field === "model"
        ? `The catalog has no endpoint of ${shown(value)}. Add it with PUT /gateway/catalog.`
        : `The catalog does not know ${field} of this endpoint, and a budget applies. Add it with PUT /gateway/catalog.`
    case "request":
      return requestTexts[field]?.(value) ?? `The request's own ${field} rules this endpoint out: ${shown(value)}.`
    default: {
      const own = scope === "key" && guardrail_id === null ? keyTexts[field]?.(value) : undefined
      if (own !== undefined) return own
      if (field === "limit_usd") return `${owners[scope]} has a limit of ${limitText(value)}.`
      return `${owners[scope]} (${guardrail_id}) rules this out: ${field} is ${shown(value)}.`
    }
  }
}

/** `path`: the field of the rule; `code`: its scope. `regions`: of the request, if they are known. */
export const issueOf = (reason: AdmissionReason, shortfall?: Shortfall, regions?: RegionFacts): Issue => {
  const more = shortfall === undefined ? regions && regionText(reason, regions) : shortfallText(shortfall)
  return {
    path: reason.field,
    code: reason.scope,
    message: more === undefined ? textOf(reason) : `${textOf(reason)} ${more}`
  }
}
