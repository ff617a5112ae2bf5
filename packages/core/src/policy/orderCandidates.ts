/**
 * The order in which candidates are tried: model by model as requested; the workspace's own keys first, then shared capacity in
 * the caller's order, then the keys kept as a fallback.
 *
 * Rule: admissions#order-of-candidates, byok#selection.
 */
import type { ByokCredential, Percentiles, ProviderPreferences, ZdrGroup } from "@gatewarden/contract/internal"
import { type CredentialUse, selectCredentials } from "../byok/byok.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { type Candidate, type Claim, candidateOf, goesBy, withBroughtKey } from "./Candidate.ts"

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
const namesOf = ({ model, model_name, canonical_slug }: Candidate & { readonly canonical_slug: string }) => [
  ...new Set([model, model_name, canonical_slug])
]

const claiming = ["is_required", "is_byok_only"] as const

type Compare = (a: Candidate, b: Candidate) => number

const ascending =
  (valueOf: (candidate: Candidate) => number): Compare =>
  (a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)]
    return x === y ? 0 : x - y
  }

/** Prompt and completion together; an unknown price sorts last. */
const priceOf = ({ endpoint: { pricing } }: Candidate): number => {
  const known = (price: string | null | undefined): number => {
    const amount = price == null ? Number.NaN : Number(price)
    return amount >= 0 ? amount : Number.POSITIVE_INFINITY
  }
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
  const rank = (candidate: Candidate): number => {
    const at = order.findIndex((name) => goesBy(candidate, name))
    return at === -1 ? order.length : at
  }
  const preferred = isPreferred(preferences, measured)
  const sort = sortOf(preferences)
  const sorted = sort == null ? undefined : sorts[sort](measured)
  return [...candidates].sort(
    (a, b) => rank(a) - rank(b) || Number(preferred(b)) - Number(preferred(a)) || (sorted?.(a, b) ?? 0)
  )
}

const isPrivate = ({ endpoint }: Candidate): boolean => endpoint.upstream !== undefined

/** A model's candidates in the order of their groups. */
interface Grouped {
  readonly brought: readonly Candidate[]
  readonly shared: readonly Candidate[]
  readonly fallback: readonly Candidate[]
}

const candidatesOfModel = (
  model: VisibleModel,
  { credentials, zdrGroups }: CandidateSources,
  use: Omit<CredentialUse, "models">
): Grouped => {
  const all = model.endpoints.map((endpoint) => candidateOf(model, endpoint, zdrGroups))
  // Nobody else has capacity of a private endpoint.
  const shared = all.filter((candidate) => !isPrivate(candidate))
  const lacking = (isServed: (candidate: Candidate) => boolean) =>
    all
      .filter((candidate) => isPrivate(candidate) && !isServed(candidate))
      .map((candidate): Candidate => ({ ...candidate, lacks_credential: true }))
  if (credentials.length === 0) return { brought: [], shared, fallback: lacking(() => false) }
  const brought = all.flatMap((candidate) => {
    const models = namesOf({ ...candidate, canonical_slug: model.canonical_slug })
    const own = credentials.filter(({ provider }) => provider === candidate.provider)
    return selectCredentials(own, { ...use, models }).map((credential) => ({ candidate, credential }))
  })
  const group = (fallback: boolean) =>
    brought
      .filter(({ credential }) => credential.is_fallback === fallback)
      .sort(
        (a, b) =>
          Number(isPrivate(b.candidate)) - Number(isPrivate(a.candidate)) ||
          a.credential.sort_order - b.credential.sort_order
      )
      .map(({ candidate, credential }) => withBroughtKey(candidate, credential))
  // Shared capacity that a matching key replaces (Rule: byok#exclusive-credentials): `is_byok_only` also for models that it does not cover.
  const exclusive = selectCredentials(
    credentials.flatMap((one) => (one.is_byok_only ? [{ ...one, allowed_models: null }] : [])),
    { ...use, models: [] }
  )
  const claimed = shared.map((candidate): Candidate => {
    const own = brought.flatMap((one) => (one.candidate === candidate ? [one.credential] : []))
    const others = exclusive.filter(
      ({ provider, id }) => provider === candidate.provider && !own.some((one) => one.id === id)
    )
    const claims = [
      ...own.flatMap((one) =>
        claiming.filter((field) => one[field]).map((field): Claim => ({ byok_id: one.id, field }))
      ),
      ...others.map(({ id }): Claim => ({ byok_id: id, field: "is_byok_only" }))
    ]
    return claims.length === 0 ? candidate : { ...candidate, claims }
  })
  const isServed = (candidate: Candidate) => brought.some((one) => one.candidate === candidate)
  return { brought: group(false), shared: claimed, fallback: [...group(true), ...lacking(isServed)] }
}

/** `measured`: the measurements of a candidate's endpoint; called only if the preferences need them. */
export const orderCandidates = (
  sources: CandidateSources,
  use: Omit<CredentialUse, "models">,
  preferences: ProviderPreferences,
  measured: Measured = () => undefined
): readonly Candidate[] => {
  const groups = sources.models.map((model) => candidatesOfModel(model, sources, use))
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
