/**
 * Own models of an account, in addition to those of the installation.
 *
 * Rule: models#own-models. They are visible to and usable by that account alone. A name of the installation's catalog cannot be taken:
 * such a write is refused. If the operator later imports a name that an account has, the installation's model applies to everybody, and
 * the account's model is hidden meanwhile.
 */
import type { CatalogModel } from "@gatewarden/contract"
import { type NamedModel, findModel, joinVariant, namesToFind, recordedName } from "./modelNames.ts"

/** Where requests to a private endpoint go, and what the model is called there. */
export interface Upstream {
  readonly base_url: string
  readonly model: string
}

/** Tags of private endpoints begin with it. */
export const privateTags = "private/"

export const isPrivateTag = (tag: string | null): boolean => tag?.startsWith(privateTags) === true

/** An endpoint as an account sees it; `upstream`: it is a private endpoint of the account. */
export type VisibleEndpoint = CatalogModel["endpoints"][number] & { readonly upstream?: Upstream }

/** An entry as an account sees it; `own`: it belongs to that account alone. */
export type VisibleModel = Omit<CatalogModel, "endpoints"> & {
  readonly endpoints: VisibleEndpoint[]
  readonly own?: true
}

/** What an entry is called. */
export type VisibleName = Pick<VisibleModel, "id" | "canonical_slug" | "name" | "architecture" | "own">

/**
 * How many own models an account may have, with how many endpoints and how many characters as JSON: what finds one of them, or a provider
 * that serves one, reads many at once.
 */
export interface OwnModelLimits {
  readonly models: number
  readonly endpoints: number
  readonly characters: number
}

export const ownModelLimits: OwnModelLimits = { models: 1_000, endpoints: 2_000, characters: 4_194_304 }

/** Of one own model: a decision reads and judges all of each model that it may use. In characters as JSON. */
export const longestOwnModel = 262_144
export const endpointsOfOwnModel = 100

const namesOf = (model: NamedModel): readonly string[] => [
  model.id,
  model.canonical_slug,
  joinVariant(recordedName(model)),
  recordedName(model).slug
]

/** The ids and slugs under which the installation's catalog may have one of the model's names. */
export const claimsOf = (model: NamedModel): readonly string[] => namesToFind(namesOf(model))

/** Whether a name of the model, or the slug under which its usage is recorded, is in the installation's catalog. */
export const isTaken = (model: NamedModel, installed: readonly NamedModel[]): boolean =>
  namesOf(model).some((name) => findModel(name, installed) !== undefined) ||
  installed.some((other) => recordedName(other).slug === recordedName(model).slug)

/** An index of entries by id and by the slug of their usage, so that not every pair is compared. */
const byClaim = <M extends NamedModel>(models: readonly M[]) => {
  const found = new Map<string, M[]>()
  for (const model of models)
    for (const name of new Set([model.id, recordedName(model).slug])) {
      const others = found.get(name)
      if (others === undefined) found.set(name, [model])
      else others.push(model)
    }
  return (model: NamedModel): readonly M[] => claimsOf(model).flatMap((name) => found.get(name) ?? [])
}

/** The entries that the account sees: the installation's, and its own ones with other names; by id. */
export const visibleModels = <M extends NamedModel>(
  installed: readonly M[],
  own: readonly M[]
): readonly (M & { readonly own?: true })[] => {
  const candidates = own.length === 0 || installed.length === 0 ? undefined : byClaim(installed)
  const kept = candidates === undefined ? own : own.filter((model) => !isTaken(model, candidates(model)))
  return [...installed, ...kept.map((model) => ({ ...model, own: true as const }))].sort((a, b) =>
    a.id < b.id ? -1 : 1
  )
}
