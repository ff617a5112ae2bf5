import type { ImageModelEndpoints } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { inCatalogSlot } from "./CatalogAnswers.ts"
import { imageEndpoint } from "./imageEndpoint.ts"
import { ModelCatalog } from "../ports/models.ts"
import { findModel } from "../catalog/resolveModelName.ts"

/** The endpoints of a model that gives images, by any of its names (Rule: models#model-names, models#lists-by-kind). */
export const listImageModelEndpoints = operation("listImageModelEndpoints")(function* (
  { account_id }: Caller,
  author: string,
  slug: string
) {
  const name = `${author}/${slug}`
  const named = Effect.flatMap(ModelCatalog, (catalog) => catalog.named(account_id, [name]))
  const model = yield* inCatalogSlot(
    account_id,
    Effect.map(named, (entries) => findModel(name, entries))
  )
  if (model === undefined || !model.architecture.output_modalities.includes("image")) return yield* notFound()
  return { id: model.id, endpoints: model.endpoints.map(imageEndpoint) } satisfies ImageModelEndpoints
})
