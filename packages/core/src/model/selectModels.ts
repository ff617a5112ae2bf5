/** The models of a list, filtered and in its order. */
import type { ModelQuery } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import { inSlices } from "../value/inSlices.ts"
import { speedsOf, tokensOf } from "./measureModels.ts"
import { ModelCatalog } from "../ports/models.ts"
import { type ModelFilter, passing } from "./modelFilters.ts"
import { modelSortRows, sortedModels } from "./modelSorts.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"

function* filtered(models: readonly VisibleModel[], passes: (model: VisibleModel) => boolean) {
  const found: VisibleModel[] = []
  for (const model of models) {
    if (model.endpoints.length > 0 && passes(model)) found.push(model)
    yield
  }
  return found as readonly VisibleModel[]
}

/** The models that have an endpoint and pass the filters, by id unless the request sorts them. */
export const selectModels = Effect.fnUntraced(function* (
  account_id: string,
  { sort, ...filter }: ModelFilter & { readonly sort?: ModelQuery["sort"] }
) {
  const visible = yield* (yield* ModelCatalog).visible(account_id)
  const models = yield* inSlices(filtered(visible, passing(filter, yield* Clock.currentTimeMillis)))
  if (sort === undefined) return models
  const { needs } = modelSortRows[sort]
  if (needs === undefined) return sortedModels(models, sort, () => ({}))
  const measures = needs === "tokens" ? yield* tokensOf(models, visible) : yield* speedsOf(account_id, models, visible)
  return sortedModels(models, sort, ({ id }) => measures.get(id) ?? {})
})
