import type { CatalogModel } from "@gatewarden/contract"
import { Effect } from "effect"
import { providerNamesOf } from "../model/foldedNames.ts"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { visibleModels, type VisibleModel } from "../model/ownModels.ts"
import { namesToFind, recordedName, type ResolvedModel, resolveModelName } from "../model/resolveModelName.ts"
import type { Tables } from "./Tables.ts"

export const modelCatalog = (tables: Tables) => {
  const installed = () => [...tables.models.values()].map(({ model }) => model)
  const ownOf = (account_id: string) =>
    [...tables.ownModels.values()].flatMap((row) => (row.account_id === account_id ? [row.model] : []))
  const all = (account_id: string | null): readonly VisibleModel[] =>
    visibleModels(installed(), account_id === null ? [] : ownOf(account_id))
  const slugOf = (model: CatalogModel) => recordedName(model).slug

  return ModelCatalog.of({
    upsert: (models, now) =>
      Effect.sync(() => {
        for (const model of models) {
          const known = tables.models.get(model.id)
          const listed = known?.model.canonical_slug === model.canonical_slug && known.model.public === model.public
          tables.models.set(model.id, { model, listed_at: listed ? known.listed_at : now })
        }
      }),
    upsertOwn: (account_id, models, limit) =>
      Effect.sync(() => {
        const placeOf = ({ id }: CatalogModel) => `${account_id} ${id}`
        const more = models.filter((model) => !tables.ownModels.has(placeOf(model)))
        if (ownOf(account_id).length + more.length > limit) return false
        for (const model of models) tables.ownModels.set(placeOf(model), { account_id, model })
        return true
      }),
    named: (account_id, names) =>
      Effect.sync(() => {
        const visible = all(account_id)
        const meant = new Set(namesToFind(names))
        const slugs = new Set(visible.flatMap((model) => (meant.has(model.id) ? [slugOf(model)] : [])))
        return visible.filter((model) => slugs.has(slugOf(model)) || meant.has(slugOf(model)))
      }),
    visible: (account_id) => Effect.sync(() => all(account_id)),
    resolve: (account_id, names) =>
      Effect.sync(() => {
        const visible = all(account_id)
        const resolved = new Map<string, ResolvedModel>()
        for (const name of names) {
          const model = resolveModelName(name, visible)
          if (model !== undefined) resolved.set(name, model)
        }
        return resolved
      }),
    providersNamed: (account_id, names) =>
      Effect.sync(() => {
        const wanted = new Set(names)
        return new Set(
          all(account_id).flatMap(({ endpoints }) =>
            endpoints.flatMap(providerNamesOf).filter((name) => wanted.has(name))
          )
        )
      })
  })
}
