/** The catalog's entries that a request means, in its order, each once. Names that the catalog does not know are passed over. */
import type { CatalogModel } from "@gatewarden/contract"
import { Effect } from "effect"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { findModel } from "../model/resolveModelName.ts"
import { DecisionCache } from "./DecisionCache.ts"

export const requestedModels = Effect.fnUntraced(function* (names: readonly string[]) {
  const { models } = yield* DecisionCache
  const found: CatalogModel[] = []
  for (const name of names) {
    const model = yield* models.get(
      name,
      Effect.flatMap(ModelCatalog, (catalog) => Effect.map(catalog.named([name]), (all) => findModel(name, all)))
    )
    if (model !== undefined && !found.some(({ id }) => id === model.id)) found.push(model)
  }
  return found
})
