/**
 * Models that an account brings itself, beside those of the installation.
 *
 * Rule: models#own-models. They are visible to and usable by that account alone. No name of the installation's catalog can be
 * taken: writing such a model is refused, and where the operator imports a name later that an account already has, the
 * installation's model counts for everybody and the account's is hidden for as long.
 */
import type { CatalogModel } from "@gatewarden/contract"
import { findModel, joinVariant, namesToFind, type NamedModel, recordedName } from "./resolveModelName.ts"

/** An entry as an account sees it; `own`: it belongs to that account alone. */
export type VisibleModel = CatalogModel & { readonly own?: true }

/** How many models an account may have of its own. */
export const maxOwnModels = 1_000

const namesOf = (model: NamedModel): readonly string[] => [
  model.id,
  model.canonical_slug,
  joinVariant(recordedName(model)),
  recordedName(model).slug
]

/** Where to look for entries of the installation's catalog that take one of the model's names. */
export const claimsOf = (model: NamedModel): readonly string[] => namesToFind(namesOf(model))

/** Whether a name of the model, or the slug under which its usage is recorded, means something in the installation's catalog. */
export const isTaken = (model: NamedModel, installed: readonly NamedModel[]): boolean =>
  namesOf(model).some((name) => findModel(name, installed) !== undefined) ||
  installed.some((other) => recordedName(other).slug === recordedName(model).slug)

/** Entries by their id and by the slug of their usage, so that not all of them are compared with all of an account's own. */
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

/** What the account sees: the installation's entries, and those of its own that take no name of theirs; by id. */
export const visibleModels = <M extends NamedModel>(
  installed: readonly M[],
  own: readonly M[]
): readonly (M & { readonly own?: true })[] => {
  const candidates = own.length === 0 ? undefined : byClaim(installed)
  const kept = own.filter((model) => !isTaken(model, candidates?.(model) ?? []))
  return [...installed, ...kept.map((model) => ({ ...model, own: true as const }))].sort((a, b) =>
    a.id < b.id ? -1 : 1
  )
}
