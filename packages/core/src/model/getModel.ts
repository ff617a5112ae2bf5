import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { inCatalogSlot } from "./CatalogAnswers.ts"
import { listedModel } from "./listedModel.ts"
import { ModelCatalog } from "../ports/models.ts"
import { findModel } from "../catalog/resolveModelName.ts"

/** A model by any of its names, as lists show it (Rule: models#model-names). One without endpoints is in no list. */
export const getModel = operation("getModel")(function* ({ account_id }: Caller, author: string, slug: string) {
  const name = `${author}/${slug}`
  const named = Effect.flatMap(ModelCatalog, (catalog) => catalog.named(account_id, [name]))
  const listed = yield* inCatalogSlot(
    account_id,
    Effect.map(named, (entries) => {
      const model = findModel(name, entries)
      return model && listedModel(model)
    })
  )
  return listed ?? (yield* notFound())
})
