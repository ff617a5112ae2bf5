/**
 * The order in which candidates are tried: model by model as requested; the workspace's own keys first, then shared capacity in
 * the caller's order, then the keys kept as a fallback.
 *
 * Rule: admissions#order-of-candidates, byok#selection.
 */
import type { ByokCredential, Percentiles, ProviderPreferences, ZdrGroup } from "@gatewarden/contract/internal"
import { type CredentialUse, isForModel, usableCredentials } from "../byok/byok.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { type Candidate, type Claim, candidateOf, mostClaims, placeIn, withBroughtKey } from "./Candidate.ts"

export interface CandidateSources {
  /** The catalog's entries in the order of the request, each once. */
  readonly models: readonly VisibleModel[]
  /** The credentials of the workspace, for all providers. */
  readonly credentials: readonly ByokCredential[]
  readonly zdrGroups: ReadonlyMap<string, ZdrGroup>
}

/** Medians of the last 30 minutes: milliseconds to the first token, tokens a second; `null`: not measured. */
export interface EndpointSpeed {
  readonly latency: Percentiles | null
  readonly throughput: Percentiles | null
}

export type Measured = (candidate: Candidate) => EndpointSpeed | undefined

export type SortWord = "price" | "throughput" | "latency" | "exacto"

/** The names of a model in the allow lists of credentials. */
const namesOf = ({ model, model_name }: Candidate, { canonical_slug }: VisibleModel): readonly string[] => [
  model,
  model_name,
  canonical_slug
]

const claiming = ["is_required", "is_byok_only"] as const

type Compare = (a: Candidate, b: Candidate) => number

const ascending =
  (valueOf: (candidate: Candidate) => number): Compare =>
  (a, b) =>
    // Of two infinite values it is not a number, which counts as 0.
    valueOf(a) - valueOf(b)

/** Prompt and completion together; an unknown price sorts last. */
const priceOf = ({ endpoint: { pricing } }: Candidate): number => {
  const known = (price: string): number => (Number(price) >= 0 ? Number(price) : Number.POSITIVE_INFINITY)
  return known(pricing.prompt) + known(pricing.completion)
}

/** Unmeasured endpoints sort last. */
const sorts: Readonly<Record<SortWord, (measured: Measured) => Compare | undefined>> = {
  price: () => ascending(priceOf),
  latency: (measured) => ascending((candidate) => measured(candidate)?.latency?.p50 ?? Number.POSITIVE_INFINITY),
  throughput: (measured) =>
    ascending((candidate) => -(measured(candidate)?.throughput?.p50 ?? Number.NEGATIVE_INFINITY)),
  exacto: () => undefined
}

const percentiles = ["p50", "p75", "p90", "p99"] as const

type Threshold = NonNullable<ProviderPreferences["preferred_max_latency"]>

/** Whether every bounded percentile was measured and is within its bound. */
const keepsTo = (
  threshold: Threshold | null | undefined,
  spread: Percentiles | null | undefined,
  keeps: (value: number, bound: number) => boolean
): boolean => {
  if (threshold == null) return true
  const bounds = typeof threshold === "number" ? { p50: threshold } : threshold
  return percentiles.every((name) => {
    const bound = bounds[name]
    return bound == null || (spread != null && keeps(spread[name], bound))
  })
}

const isPreferred =
  ({ preferred_max_latency, preferred_min_throughput }: ProviderPreferences, measured: Measured) =>
  (candidate: Candidate): boolean => {
    const { latency, throughput } = measured(candidate) ?? {}
    return (
      keepsTo(preferred_max_latency, latency, (millis, seconds) => millis <= seconds * 1000) &&
      keepsTo(preferred_min_throughput, throughput, (speed, least) => speed >= least)
    )
  }

const sortOf = ({ sort }: ProviderPreferences): SortWord | null | undefined =>
  typeof sort === "string" ? sort : sort?.by

/** Whether the order depends on measurements, which then have to be read. */
export const asksForMeasurements = (preferences: ProviderPreferences): boolean => {
  const sort = sortOf(preferences)
  return (
    sort === "latency" ||
    sort === "throughput" ||
    preferences.preferred_max_latency != null ||
    preferences.preferred_min_throughput != null
  )
}

/**
 * First the candidates that `order` names, in that order. Then those within the preferred speed, then the rest; each group is sorted as
 * requested, otherwise unchanged.
 */
const inOrder = (
  candidates: readonly Candidate[],
  preferences: ProviderPreferences,
  measured: Measured
): readonly Candidate[] => {
  const order = preferences.order ?? []
  if (order.length === 0 && preferences.sort == null && !asksForMeasurements(preferences)) return candidates
  const isWithin = isPreferred(preferences, measured)
  const sort = sortOf(preferences)
  const sorted = sort == null ? undefined : sorts[sort](measured)
  return candidates
    .map((candidate) => ({
      candidate,
      rank: placeIn(order, candidate) ?? order.length,
      preferred: Number(isWithin(candidate))
    }))
    .sort((a, b) => a.rank - b.rank || b.preferred - a.preferred || (sorted?.(a.candidate, b.candidate) ?? 0))
    .map(({ candidate }) => candidate)
}

const isPrivate = ({ endpoint }: Candidate): boolean => endpoint.upstream !== undefined

/** A model's candidates in the order of their groups. */
interface Grouped {
  readonly brought: readonly Candidate[]
  readonly shared: readonly Candidate[]
  readonly fallback: readonly Candidate[]
}

/**
 * Endpoints of the requested models, and candidates that they make with credentials: all are judged at once. More are refused.
 *
 * Rule: admissions#order-of-candidates.
 */
export const mostEndpoints = 1_000
export const mostCandidates = 2_000

/** Of the credentials that match, so many ordinary ones and so many fallbacks are candidates of an endpoint. Rule: byok#selection. */
const mostOfEndpoint = 10

/** The credentials of a workspace as the models of a request need them. */
interface Brought {
  readonly byProvider: ReadonlyMap<string, readonly ByokCredential[]>
  /** They replace shared capacity of their provider, also for models that they do not cover (Rule: byok#exclusive-credentials). */
  readonly exclusive: ReadonlyMap<string, readonly ByokCredential[]>
}

const byProviderOf = (credentials: readonly ByokCredential[]): Brought["byProvider"] => {
  const groups = new Map<string, ByokCredential[]>()
  for (const one of credentials) {
    const group = groups.get(one.provider)
    if (group === undefined) groups.set(one.provider, [one])
    else group.push(one)
  }
  return groups
}

const broughtOf = (credentials: readonly ByokCredential[], use: Omit<CredentialUse, "models">): Brought => {
  const usable = usableCredentials(credentials, use)
  return {
    byProvider: byProviderOf(usable),
    exclusive: byProviderOf(usable.filter(({ is_byok_only }) => is_byok_only))
  }
}

/** What the credentials for a model and a provider make of each of its endpoints there. */
interface Served {
  /** At most `mostOfEndpoint` ordinary ones, then as many fallbacks. */
  readonly tried: readonly ByokCredential[]
  readonly claims: readonly Claim[]
}

const servedBy = (own: readonly ByokCredential[], exclusive: readonly ByokCredential[]): Served => ({
  tried: [false, true].flatMap((isFallback) =>
    own.filter(({ is_fallback }) => is_fallback === isFallback).slice(0, mostOfEndpoint)
  ),
  claims: claimsOf(own, exclusive)
})

const claimsOf = (own: readonly ByokCredential[], exclusive: readonly ByokCredential[]): readonly Claim[] => {
  const ids = new Set(own.map(({ id }) => id))
  return [
    ...own.flatMap((one) => claiming.filter((field) => one[field]).map((field): Claim => ({ byok_id: one.id, field }))),
    ...exclusive.filter(({ id }) => !ids.has(id)).map(({ id }): Claim => ({ byok_id: id, field: "is_byok_only" }))
  ].slice(0, mostClaims + 1)
}

const candidatesOfModel = (
  model: VisibleModel,
  { byProvider, exclusive }: Brought,
  zdrGroups: CandidateSources["zdrGroups"]
): Grouped => {
  const all = model.endpoints.map((endpoint) => candidateOf(model, endpoint, zdrGroups))
  const brought: { readonly candidate: Candidate; readonly credential: ByokCredential }[] = []
  const shared: Candidate[] = []
  // Endpoints of one provider have the same credentials, of which there may be thousands.
  const servedAt = new Map<string, Served>()
  for (const candidate of all) {
    const { provider } = candidate
    let served = servedAt.get(provider)
    if (served === undefined) {
      const names = namesOf(candidate, model)
      const own = (byProvider.get(provider) ?? []).filter((credential) => isForModel(credential, names))
      served = servedBy(own, exclusive.get(provider) ?? [])
      servedAt.set(provider, served)
    }
    for (const credential of served.tried) brought.push({ candidate, credential })
    // Nobody else has capacity of a private endpoint.
    if (isPrivate(candidate)) continue
    const { claims } = served
    shared.push(claims.length === 0 ? candidate : { ...candidate, claims })
  }
  const group = (fallback: boolean) =>
    brought
      .filter(({ credential }) => credential.is_fallback === fallback)
      .sort(
        (a, b) =>
          Number(isPrivate(b.candidate)) - Number(isPrivate(a.candidate)) ||
          a.credential.sort_order - b.credential.sort_order
      )
      .map(({ candidate, credential }) => withBroughtKey(candidate, credential))
  const lacking = all
    .filter((candidate) => isPrivate(candidate) && servedAt.get(candidate.provider)?.tried.length === 0)
    .map((candidate): Candidate => ({ ...candidate, lacks_credential: true }))
  return { brought: group(false), shared, fallback: [...group(true), ...lacking] }
}

/** `measured`: the measurements of a candidate's endpoint; called only if the preferences need them. */
export const orderCandidates = (
  sources: CandidateSources,
  use: Omit<CredentialUse, "models">,
  preferences: ProviderPreferences,
  measured: Measured = () => undefined
): readonly Candidate[] => {
  const brought = broughtOf(sources.credentials, use)
  const groups = sources.models.map((model) => candidatesOfModel(model, brought, sources.zdrGroups))
  const { sort } = preferences
  if (typeof sort !== "object" || sort?.partition !== "none")
    return groups.flatMap(({ brought, shared, fallback }) => [
      ...brought,
      ...inOrder(shared, preferences, measured),
      ...fallback
    ])
  return [
    ...groups.flatMap(({ brought }) => brought),
    ...inOrder(
      groups.flatMap(({ shared }) => shared),
      preferences,
      measured
    ),
    ...groups.flatMap(({ fallback }) => fallback)
  ]
}
