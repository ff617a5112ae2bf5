/**
 * The order in which candidates are tried: model by model as requested; the workspace's own keys first, then shared capacity in
 * the caller's order, then the keys kept as a fallback.
 *
 * Source: decisions 6 (selection); public API 4.3 (brought keys go before `provider.order`).
 */
import type { ByokCredential, CatalogModel, ProviderPreferences, ZdrGroup } from "@gatewarden/contract"
import { type Candidate, candidateOf, type Claim, goesBy, withBroughtKey } from "./Candidate.ts"
import { type CredentialUse, selectCredentials } from "../byok/selectCredentials.ts"

export interface CandidateSources {
  /** The catalog's entries in the order of the request, each once. */
  readonly models: readonly CatalogModel[]
  /** Those of the workspace, for whatever provider. */
  readonly credentials: readonly ByokCredential[]
  readonly zdrGroups: ReadonlyMap<string, ZdrGroup>
}

/** The names that a model goes by in the allow-lists of credentials. */
const namesOf = ({ model, model_name, canonical_slug }: Candidate & { readonly canonical_slug: string }) => [
  ...new Set([model, model_name, canonical_slug])
]

const claiming = ["is_required", "is_byok_only"] as const

const priceOf = ({ endpoint }: Candidate): number =>
  Number(endpoint.pricing.prompt) + Number(endpoint.pricing.completion)

/** What is sorted by: a word, or one in an object beside how to partition (public API 2.11). */
const sortOf = ({ sort }: ProviderPreferences): unknown =>
  typeof sort === "object" && sort !== null && "by" in sort ? sort.by : sort

/** Those that the order names, as it names them, then the others as they stand. */
const inOrder = (candidates: readonly Candidate[], preferences: ProviderPreferences): readonly Candidate[] => {
  const order = preferences.order ?? []
  const rank = (candidate: Candidate): number => {
    const at = order.findIndex((name) => goesBy(candidate, name))
    return at === -1 ? order.length : at
  }
  const byPrice = sortOf(preferences) === "price" ? (a: Candidate, b: Candidate) => priceOf(a) - priceOf(b) : () => 0
  return [...candidates].sort((a, b) => rank(a) - rank(b) || byPrice(a, b))
}

const candidatesOfModel = (
  model: CatalogModel,
  { credentials, zdrGroups }: CandidateSources,
  use: Omit<CredentialUse, "models">,
  preferences: ProviderPreferences
): readonly Candidate[] => {
  const shared = model.endpoints.map((endpoint) => candidateOf(model, endpoint, zdrGroups))
  if (credentials.length === 0) return inOrder(shared, preferences)
  const brought = shared.flatMap((candidate) => {
    const models = namesOf({ ...candidate, canonical_slug: model.canonical_slug })
    const own = credentials.filter(({ provider }) => provider === candidate.provider)
    return selectCredentials(own, { ...use, models }).map((credential) => ({ candidate, credential }))
  })
  const group = (fallback: boolean) =>
    brought
      .filter(({ credential }) => credential.is_fallback === fallback)
      .sort((a, b) => a.credential.sort_order - b.credential.sort_order)
      .map(({ candidate, credential }) => withBroughtKey(candidate, credential))
  // Shared capacity of a provider, where a matching key of that provider is to be used instead (decisions 6, public API 2.4).
  const claimed = shared.map((candidate): Candidate => {
    const own = brought.filter((one) => one.candidate === candidate)
    const claims = own.flatMap(({ credential }) =>
      claiming.filter((field) => credential[field]).map((field): Claim => ({ byok_id: credential.id, field }))
    )
    return claims.length === 0 ? candidate : { ...candidate, claims }
  })
  return [...group(false), ...inOrder(claimed, preferences), ...group(true)]
}

export const orderCandidates = (
  sources: CandidateSources,
  use: Omit<CredentialUse, "models">,
  preferences: ProviderPreferences
): readonly Candidate[] => sources.models.flatMap((model) => candidatesOfModel(model, sources, use, preferences))
