/** The catalog's entries for the models of a request, in its order, each once. Unknown names are skipped. */
import { Effect } from "effect"
import { ModelCatalog } from "../ports/models.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { findModel } from "../catalog/resolveModelName.ts"
import { DecisionCache } from "../policy/DecisionCache.ts"

export const requestedModels = Effect.fnUntraced(function* (account_id: string, names: readonly string[]) {
  const { models } = yield* DecisionCache
  const found: VisibleModel[] = []
  for (const name of names) {
    const model = yield* models.share(
      name,
      Effect.flatMap(ModelCatalog, (catalog) =>
        Effect.map(catalog.named(account_id, [name]), (all) => findModel(name, all))
      ),
      account_id
    )
    if (model !== undefined && !found.some(({ id }) => id === model.id)) found.push(model)
  }
  return found
})
