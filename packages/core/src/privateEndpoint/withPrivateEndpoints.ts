/**
 * The active private endpoints of an account among the endpoints of the models that it sees, behind those of the catalog.
 *
 * Rule: models#private-endpoints. A private endpoint is like the model's first endpoint of its provider, else like the model's first: with
 * its context, its parameters and its modalities. Data policy, prices and address are its own.
 */
import type { CatalogModel, PrivateProvider } from "@gatewarden/contract"
import { type Upstream, type VisibleEndpoint, type VisibleModel, privateTags } from "../catalog/ownModels.ts"
import { recordedName, splitVariant } from "../catalog/modelNames.ts"
import type { StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"
import { baseUrlOf, statusOf } from "./privateEndpoint.ts"

export interface PrivateEndpointRow {
  readonly endpoint: StoredPrivateEndpoint
  readonly provider: PrivateProvider | undefined
}

/** How usage events and preferences name the endpoint. */
export const tagOfPrivateEndpoint = (id: string): string => `${privateTags}${id}`

const endpointOf = (model: CatalogModel, { endpoint, provider }: PrivateEndpointRow): VisibleEndpoint | undefined => {
  const sameProvider = model.endpoints.find(({ provider_slug }) => provider_slug === endpoint.provider_slug)
  const like = sameProvider ?? model.endpoints[0]
  const base_url = baseUrlOf(endpoint, provider)
  if (like === undefined || base_url === undefined || statusOf(endpoint, provider) !== "active") return undefined
  const { server_tool_prices: _, provider_info, ...shared } = like
  const upstream: Upstream = { base_url, model: endpoint.upstream_model_id }
  const info =
    provider === undefined
      ? sameProvider && provider_info
      : {
          privacy_policy_url: provider.privacy_policy_url ?? undefined,
          headquarters: provider.headquarters ?? undefined,
          datacenters: provider.datacenters
        }
  const region = endpoint.declared_region
  return {
    ...shared,
    name: `${endpoint.provider_name} | ${model.canonical_slug}`,
    model_name: model.name,
    provider_name: endpoint.provider_name,
    provider_slug: endpoint.provider_slug,
    ...(info === undefined ? {} : { provider_info: info as NonNullable<typeof provider_info> }),
    tag: tagOfPrivateEndpoint(endpoint.id),
    pricing: { ...endpoint.pricing, request: "0", image: "0" },
    data_regions: region === null || region === "global" ? ["global"] : ["global", region],
    // What nobody declared is not relied on.
    zero_data_retention:
      endpoint.declared_zdr ?? (provider === undefined ? false : !provider.data_policy.retains_prompts),
    trains_on_data: provider?.data_policy.training ?? sameProvider?.trains_on_data ?? true,
    publishes_prompts: provider === undefined ? (sameProvider?.publishes_prompts ?? true) : false,
    upstream
  }
}

const isOf = (model: CatalogModel, { endpoint }: PrivateEndpointRow): boolean =>
  model.canonical_slug === endpoint.model_permaslug &&
  recordedName(model).variant === splitVariant(endpoint.model_permaslug).variant

export const withPrivateEndpoints = (
  models: readonly VisibleModel[],
  rows: readonly PrivateEndpointRow[]
): readonly VisibleModel[] => {
  if (rows.length === 0) return models
  return models.map((model) => {
    const added = rows.flatMap((row) => (isOf(model, row) ? (endpointOf(model, row) ?? []) : []))
    return added.length === 0 ? model : { ...model, endpoints: [...model.endpoints, ...added] }
  })
}
