/**
 * An endpoint that a request may go to, with the data that a decision needs: an endpoint of the catalog with shared capacity, or the same
 * endpoint with a credential of the workspace.
 */
import type { CatalogEndpoint, CatalogModel, Region, ZdrGroup } from "@gatewarden/contract/internal"
import { Context } from "effect"
import { type LocalRegion, localRegion } from "../byok/byok.ts"
import {
  foldModelName,
  joinVariant,
  modelNamesOf,
  namesOfUnlisted,
  providerNamesOf,
  recordedName
} from "../catalog/modelNames.ts"
import type { VisibleEndpoint, VisibleModel } from "../catalog/ownModels.ts"
import { type ListChange, removing } from "../value/issues.ts"
import { remembered } from "../value/remembered.ts"

export const firstPartyProviders: Readonly<Record<string, ZdrGroup>> = {
  anthropic: "anthropic",
  "anthropic/2": "anthropic",
  openai: "openai",
  "google-ai-studio": "google",
  xai: "xai"
}

/**
 * Which vendor group of zero-data-retention enforcement an endpoint belongs to.
 *
 * Rule: guardrails#zero-data-retention: a vendor's group holds its first-party endpoints only (Bedrock, Vertex and Azure stay);
 * `other` holds everything else. A host changes the table by providing the reference.
 */
export const ZdrGroups = Context.Reference<ReadonlyMap<string, ZdrGroup>>("gatewarden/ZdrGroups", {
  defaultValue: () => new Map(Object.entries(firstPartyProviders))
})

export const zdrGroupOf = (table: ReadonlyMap<string, ZdrGroup>, provider: string): ZdrGroup =>
  table.get(provider) ?? "other"

/** A model by the names that policies have for it. */
export interface PolicedModel {
  /** The catalog's id of the model. */
  readonly model: string
  /** The name of the model in policies. */
  readonly model_name: string
  /** Every name in a list of ignored names that matches the model, folded: id, canonical slug, and both without their variant. */
  readonly model_names: readonly string[]
}

export interface Candidate extends PolicedModel {
  readonly endpoint_tag: string
  /** Provider slug. */
  readonly provider: string
  /** The provider's slug and name and the endpoint's tag, folded: the names in preferences and in lists of ignored names. */
  readonly provider_names: readonly string[]
  readonly data_regions: readonly Region[]
  /** Requests are processed where the account lies with whose key they are sent, as far as its owner declares that. */
  readonly follows_account: boolean
  readonly zdr_group: ZdrGroup
  /** Retains what is sent, or does not declare that it does not. */
  readonly retains: boolean
  readonly trains: boolean
  readonly publishes: boolean
  /** The model's author allows training on what it writes; false where the catalog says nothing. */
  readonly distillable: boolean
  /** Costs nothing per token. */
  readonly free: boolean
  readonly endpoint: CatalogEndpoint & Pick<VisibleEndpoint, "upstream">
  readonly source: "byok" | "shared"
  readonly byok_id: string | null
  readonly label: string | null
  /** Of the credential. */
  readonly declared_region?: LocalRegion | undefined
  /** The model is the account's own, with prices that the account wrote. */
  readonly own_model?: true
  /** The credentials that replace shared capacity for this candidate. */
  readonly claims: readonly Claim[]
  /** A private endpoint for which the workspace has no credential that applies (Rule: models#private-endpoints). */
  readonly lacks_credential?: true
}

/** More claims of a candidate are told by one more, for which no edit is proposed. */
export const mostClaims = 20

/** A credential that replaces shared capacity, and the field that makes it so. */
export interface Claim {
  readonly byok_id: string
  readonly field: "is_required" | "is_byok_only"
}

/** The workspace's own key, which turns a shared candidate into another one. */
export interface ByokKey {
  readonly id: string
  readonly label: string
  /**
   * Whether its owner declares zero retention for this account; `null`: as the endpoint declares
   * (Rule: byok#declared-retention).
   */
  readonly declared_zdr: boolean | null
  /** Where it declares that its account processes requests (Rule: byok#declared-region). */
  readonly declared_region: Region | null
}

/** The places of a list at which entries stand for each name, in their order. */
export type PlacesOfNames = ReadonlyMap<string, readonly number[]>

/** `namesOf`: the names for which an entry stands. A long list is compared with the names of every candidate, so it is read once. */
export const placesBy = (namesOf: (entry: string) => readonly string[]): ((list: readonly string[]) => PlacesOfNames) =>
  remembered((list) => {
    const places = new Map<string, number[]>()
    for (const [place, entry] of list.entries())
      for (const name of new Set(namesOf(entry))) {
        const before = places.get(name)
        if (before === undefined) places.set(name, [place])
        else before.push(place)
      }
    return places
  })

/** Of a list of names of providers. */
export const providerPlaces = placesBy((name) => [foldModelName(name)])

/** The first place at which a list has one of the names. */
export const firstPlace = (places: PlacesOfNames, names: readonly string[]): number | undefined => {
  let first: number | undefined
  for (const name of names) {
    const place = places.get(name)?.[0]
    if (place !== undefined && (first === undefined || place < first)) first = place
  }
  return first
}

/**
 * Where a list of preferences first names the candidate: its provider by slug or by the public client's name for it, or its own tag. Undefined
 * if it does not.
 */
export const placeIn = (
  list: readonly string[],
  { provider_names }: Pick<Candidate, "provider_names">
): number | undefined => firstPlace(providerPlaces(list), provider_names)

/** A list without every entry that stands for one of the names. */
export const withoutNames = (list: readonly string[], places: PlacesOfNames, names: readonly string[]): ListChange =>
  removing(names.flatMap((name) => (places.get(name) ?? []).map((place) => list[place])))

/** The same for candidates of which a list has the same names. */
export const listedNames = (places: PlacesOfNames, names: readonly string[]): string =>
  names.filter((name) => places.has(name)).join("\n")

/** Entries of the catalog are folded once, not for every request. */
const namesOfModel = remembered(modelNamesOf)
const namesOfProvider = remembered(providerNamesOf)

/**
 * Not an endpoint that lies in a region already, nor a private one, whose owner declares a region of its own, nor a model of videos
 * (Rule: byok#declared-region).
 */
const followsAccount = ({ architecture }: CatalogModel, { data_regions, upstream }: Candidate["endpoint"]): boolean =>
  upstream === undefined &&
  data_regions.every((region) => region === "global") &&
  !architecture.output_modalities.includes("video")

const isZero = (price: string): boolean => /^0(?:\.0+)?$/.test(price)

/** `name`: by which a request has it. `model`: its entry in the catalog, if there is one. */
export const policedModel = (name: string, model: CatalogModel | undefined): PolicedModel =>
  model === undefined
    ? { model: name, model_name: name, model_names: namesOfUnlisted(name) }
    : { model: model.id, model_name: joinVariant(recordedName(model)), model_names: namesOfModel(model) }

type ListedModel = CatalogModel & Pick<VisibleModel, "own">

const sharedCandidate = (
  model: ListedModel,
  endpoint: Candidate["endpoint"],
  zdrGroups: ReadonlyMap<string, ZdrGroup>
): Candidate => ({
  ...policedModel(model.id, model),
  endpoint_tag: endpoint.tag,
  provider: endpoint.provider_slug,
  provider_names: namesOfProvider(endpoint),
  data_regions: endpoint.data_regions,
  follows_account: followsAccount(model, endpoint),
  zdr_group: zdrGroupOf(zdrGroups, endpoint.provider_slug),
  retains: !endpoint.zero_data_retention,
  trains: endpoint.trains_on_data,
  publishes: endpoint.publishes_prompts,
  distillable: model.listing.distillable === true,
  free: isZero(endpoint.pricing.prompt) && isZero(endpoint.pricing.completion),
  endpoint,
  source: "shared",
  byok_id: null,
  label: null,
  claims: [],
  ...(model.own === true ? { own_model: true } : {})
})

const sharedCandidates = remembered((zdrGroups: ReadonlyMap<string, ZdrGroup>) =>
  remembered((model: ListedModel) =>
    remembered((endpoint: Candidate["endpoint"]) => sharedCandidate(model, endpoint, zdrGroups))
  )
)

/** The candidate with shared capacity: made once for an entry of the catalog, because a request may name a thousand. */
export const candidateOf = (
  model: ListedModel,
  endpoint: Candidate["endpoint"],
  zdrGroups: ReadonlyMap<string, ZdrGroup>
): Candidate => sharedCandidates(zdrGroups)(model)(endpoint)

/** A declaration opens one region, and never one where the endpoint does not lie unless that follows the account. It closes the other. */
const regionsWith = (
  { data_regions, follows_account }: Candidate,
  declared: LocalRegion | undefined
): readonly Region[] => {
  if (declared === undefined) return data_regions
  return follows_account ? [declared] : data_regions.filter((region) => region === "global" || region === declared)
}

/** The same endpoint with a key of the workspace. */
export const withBroughtKey = (candidate: Candidate, key: ByokKey): Candidate => ({
  ...candidate,
  data_regions: regionsWith(candidate, localRegion(key.declared_region)),
  declared_region: localRegion(key.declared_region),
  retains: key.declared_zdr === null ? candidate.retains : !key.declared_zdr,
  source: "byok",
  byok_id: key.id,
  label: key.label
})
