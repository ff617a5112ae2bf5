/** Private endpoints as the API shows them. */
import type { ManagedPrivateEndpoint, PrivateEndpoint, PrivateEndpointSummary } from "@gatewarden/contract"
import { Effect } from "effect"
import { ModelCatalog } from "../ports/models.ts"
import { findModel } from "../catalog/resolveModelName.ts"
import { statusOf } from "./deployment.ts"
import { PrivateProviders, type StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"

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

export const printedPrivateEndpoint = (account_id: string, endpoint: StoredPrivateEndpoint) =>
  Effect.map(printedManaged(account_id, endpoint), ({ created_at: _, ...shown }): PrivateEndpoint => {
    const { provider_slug, base_url, upstream_model_id, pricing } = endpoint
    return { ...shown, provider_slug, base_url, upstream_model_id, pricing }
  })
