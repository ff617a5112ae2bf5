/**
 * An endpoint that a request might be dispatched to, as far as a decision needs to know it: one of the catalog's with shared
 * capacity, or the same one with a credential of the workspace.
 */
import type { CatalogEndpoint, CatalogModel, Region, ZdrGroup } from "@gatewarden/contract"
import { foldName, modelNamesOf, providerNamesOf } from "../model/foldedNames.ts"
import { joinVariant, recordedName } from "../model/resolveModelName.ts"
import { zdrGroupOf } from "./zdrGroups.ts"

export interface Candidate {
  /** The catalog's id of the model. */
  readonly model: string
  /** The name under which policies know the model. */
  readonly model_name: string
  /** Every name by which a list that ignores covers the model, folded: id, canonical slug, and both without their variant. */
  readonly model_names: readonly string[]
  readonly endpoint_tag: string
  /** Provider slug. */
  readonly provider: string
  /** The provider's slug and name and the endpoint's tag, folded: what preferences and lists that ignore call it. */
  readonly provider_names: readonly string[]
  readonly data_regions: readonly Region[]
  readonly zdr_group: ZdrGroup
  /** Keeps what is sent, or does not say that it does not. */
  readonly retains: boolean
  readonly trains: boolean
  readonly publishes: boolean
  /** Costs nothing per token. */
  readonly free: boolean
  readonly endpoint: CatalogEndpoint
  readonly source: "byok" | "shared"
  readonly byok_id: string | null
  readonly label: string | null
  /** The credentials for which shared capacity is not to be used here. */
  readonly claims: readonly Claim[]
}

/** A credential that is to be used in place of shared capacity, and the field that says so. */
export interface Claim {
  readonly byok_id: string
  readonly field: "is_required" | "is_byok_only"
}

/** What makes a shared candidate another one: the workspace's own key. */
export interface BroughtKey {
  readonly id: string
  readonly label: string
  /**
   * Whether its owner says that the provider keeps nothing of this account; `null`: as the endpoint has it
   * (Rule: byok#declared-retention).
   */
  readonly declared_zdr: boolean | null
}

/** Whether a preference means the candidate: its provider by slug, or by name as the public client lists them, or its own tag. */
export const goesBy = ({ provider_names }: Pick<Candidate, "provider_names">, name: string): boolean =>
  provider_names.includes(foldName(name))

/** Entries of the catalog are folded once, not for every request. */
const remembered = <K extends object, V>(read: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = read(key)))
    return value
  }
}

const namesOfModel = remembered(modelNamesOf)
const namesOfProvider = remembered(providerNamesOf)

const isZero = (price: string): boolean => /^0(?:\.0+)?$/.test(price)

/** The candidate that shared capacity is. */
export const candidateOf = (
  model: CatalogModel,
  endpoint: CatalogEndpoint,
  zdrGroups: ReadonlyMap<string, ZdrGroup>
): Candidate => ({
  model: model.id,
  model_name: joinVariant(recordedName(model)),
  model_names: namesOfModel(model),
  endpoint_tag: endpoint.tag,
  provider: endpoint.provider_slug,
  provider_names: namesOfProvider(endpoint),
  data_regions: endpoint.data_regions,
  zdr_group: zdrGroupOf(zdrGroups, endpoint.provider_slug),
  retains: !endpoint.zero_data_retention,
  trains: endpoint.trains_on_data,
  publishes: endpoint.publishes_prompts,
  free: isZero(endpoint.pricing.prompt) && isZero(endpoint.pricing.completion),
  endpoint,
  source: "shared",
  byok_id: null,
  label: null,
  claims: []
})

/** The same endpoint with a key of the workspace's. */
export const withBroughtKey = (candidate: Candidate, key: BroughtKey): Candidate => ({
  ...candidate,
  retains: key.declared_zdr === null ? candidate.retains : !key.declared_zdr,
  source: "byok",
  byok_id: key.id,
  label: key.label
})
