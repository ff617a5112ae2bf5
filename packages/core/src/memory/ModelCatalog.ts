import type { CatalogModel } from "@gatewarden/contract"
import { Effect } from "effect"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { namesToFind, recordedName, type ResolvedModel, resolveModelName } from "../model/resolveModelName.ts"
import type { Tables } from "./Tables.ts"

export const modelCatalog = (tables: Tables) => {
  const all = () => [...tables.models.values()].map(({ model }) => model)
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
    named: (names) =>
      Effect.sync(() => {
        const meant = new Set(namesToFind(names))
        const slugs = new Set(all().flatMap((model) => (meant.has(model.id) ? [slugOf(model)] : [])))
        return all()
          .filter((model) => slugs.has(slugOf(model)) || meant.has(slugOf(model)))
          .sort((a, b) => (a.id < b.id ? -1 : 1))
      }),
    resolve: (names) =>
      Effect.sync(() => {
        const resolved = new Map<string, ResolvedModel>()
        for (const name of names) {
          const model = resolveModelName(name, all())
          if (model !== undefined) resolved.set(name, model)
        }
        return resolved
      })
  })
}
