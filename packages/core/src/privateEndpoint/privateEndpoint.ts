import type {
  ManagedPrivateEndpoint,
  PrivateEndpoint,
  PrivateEndpointStatus,
  PrivateEndpointSummary,
  PrivateProvider,
  PrivateProviderDataPolicy
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { findModel } from "../catalog/modelNames.ts"
import { isPublicAddress } from "../platform/isPublicAddress.ts"
import { ModelCatalog } from "../ports/models.ts"
import { PrivateEndpoints, PrivateProviders, type StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"
import { Conflict, invalid, notFound } from "../value/failure.ts"
import { withoutTrailingSlashes } from "../value/text.ts"

/** Where a private endpoint is: the address and the model's name there. */
const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host)

const isReachable = (hostname: string): boolean =>
  isAddress(hostname)
    ? isPublicAddress(hostname.replace(/^\[|\]$/g, ""))
    : !/(?:^|\.)localhost\.?$/.test(hostname) && hostname.includes(".")

/** Fails with 400 unless the URL may be sent requests with a provider's key: https, a public host, nothing after the path. */
export const requireDeploymentUrl = (base_url: string | undefined, path: string) =>
  Effect.suspend(() => {
    if (base_url === undefined) return Effect.void
    const url = URL.parse(base_url)
    const isGood =
      url !== null &&
      url.protocol === "https:" &&
      url.username === "" &&
      url.password === "" &&
      !/[?#\s]/.test(base_url) &&
      isReachable(url.hostname)
    return isGood
      ? Effect.void
      : invalid(
          "invalid_request",
          path,
          "Expected an https URL with a public host, without a user, a query or a fragment"
        )
  })

/** The address that requests to the endpoint go to, without a slash at its end; undefined if its private provider is gone. */
export const baseUrlOf = (
  { base_url }: Pick<StoredPrivateEndpoint, "base_url">,
  provider: Pick<PrivateProvider, "base_url"> | undefined
): string | undefined => {
  const url = base_url ?? provider?.base_url
  return url === undefined ? undefined : withoutTrailingSlashes(url)
}

/** Names the deployment that a validation is about. */
export const deploymentOf = (base_url: string, upstream_model_id: string): string => `${base_url}\n${upstream_model_id}`

/** The status that counts: an endpoint whose private provider moved is a draft again, whatever it was. Rule: models#private-endpoints. */
export const statusOf = (
  endpoint: Pick<StoredPrivateEndpoint, "base_url" | "status" | "upstream_model_id" | "validated">,
  provider: Pick<PrivateProvider, "base_url"> | undefined
): PrivateEndpointStatus => {
  const address = baseUrlOf(endpoint, provider)
  const isValidated = address !== undefined && endpoint.validated === deploymentOf(address, endpoint.upstream_model_id)
  return isValidated ? endpoint.status : "draft"
}

/** Each with its status now, and the names of its model, which are `null` if the account sees no such model any more. */
const named = Effect.fnUntraced(function* (account_id: string, endpoints: readonly StoredPrivateEndpoint[]) {
  const slugs = [...new Set(endpoints.map(({ model_permaslug }) => model_permaslug))]
  const models = slugs.length === 0 ? [] : yield* (yield* ModelCatalog).named(account_id, slugs)
  const isUnderProvider = endpoints.some(({ base_url, validated }) => base_url === null && validated !== null)
  const providers = isUnderProvider ? yield* (yield* PrivateProviders).list(account_id) : []
  return endpoints.map((endpoint) => {
    const model = findModel(endpoint.model_permaslug, models)
    const provider = providers.find(({ slug }) => slug === endpoint.provider_slug)
    return {
      endpoint,
      status: statusOf(endpoint, provider),
      model_slug: model?.id ?? null,
      model_name: model?.name ?? null
    }
  })
})

type Named = Effect.Success<ReturnType<typeof named>>[number]

const summaryOf = ({ endpoint, status, model_slug, model_name }: Named): PrivateEndpointSummary => ({
  id: endpoint.id,
  model_permaslug: endpoint.model_permaslug,
  model_slug,
  model_name,
  provider_name: endpoint.provider_name,
  status,
  created_at: endpoint.created_at
})

export const printedSummaries = (account_id: string, endpoints: readonly StoredPrivateEndpoint[]) =>
  Effect.map(named(account_id, endpoints), (all) => all.map(summaryOf))

export const printedManaged = (account_id: string, endpoint: StoredPrivateEndpoint) =>
  Effect.map(printedSummaries(account_id, [endpoint]), ([summary]): ManagedPrivateEndpoint => {
    const { declared_region, declared_zdr } = endpoint
    return { ...(summary as PrivateEndpointSummary), declared_region, declared_zdr }
  })

/** Private endpoints as the API shows them. */
export const printedPrivateEndpoint = (account_id: string, endpoint: StoredPrivateEndpoint) =>
  Effect.map(printedManaged(account_id, endpoint), ({ created_at: _, ...shown }): PrivateEndpoint => {
    const { provider_slug, base_url, upstream_model_id, pricing } = endpoint
    return { ...shown, provider_slug, base_url, upstream_model_id, pricing }
  })

/** Fails with 400 where a provider that retains nothing names for how long. */
export const requireDataPolicy = ({ retains_prompts, prompt_retention_days }: PrivateProviderDataPolicy) =>
  Effect.suspend(() =>
    !retains_prompts && prompt_retention_days !== null
      ? invalid(
          "invalid_request",
          "data_policy.prompt_retention_days",
          "Expected null, because retains_prompts is false"
        )
      : Effect.void
  )

export interface CurrentPrivateEndpoint {
  /** As the store has it, which guards a change of it. */
  readonly stored: StoredPrivateEndpoint
  readonly status: PrivateEndpointStatus
  /** Undefined if its private provider is gone. */
  readonly address: string | undefined
}

/** The private endpoint with the address and the status that it has now, 404 without one. */
export const requirePrivateEndpoint = Effect.fnUntraced(function* (account_id: string, id: string) {
  const found = yield* (yield* PrivateEndpoints).find(account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const stored = found.value
  const provider = Option.getOrUndefined(yield* (yield* PrivateProviders).find(account_id, stored.provider_slug))
  const current: CurrentPrivateEndpoint = {
    stored,
    status: statusOf(stored, provider),
    address: baseUrlOf(stored, provider)
  }
  return current
})

/** The endpoint is in another state than the request needs. */
export const otherState = (message: string) =>
  new Conflict({
    reason: "private_endpoint_state",
    issues: [{ path: "params.id", code: "private_endpoint_state", message }]
  })

/** What an update answers: the endpoint, 404, or 409 with the message. */
export const updated = (
  outcome: StoredPrivateEndpoint | "refused" | "missing",
  message: string
): Effect.Effect<StoredPrivateEndpoint, ReturnType<typeof otherState> | ReturnType<typeof notFound>> => {
  if (outcome === "missing") return notFound()
  return outcome === "refused" ? otherState(message) : Effect.succeed(outcome)
}
