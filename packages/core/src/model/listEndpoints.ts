import type { CatalogModel, EndpointStatistics, Model } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { inCatalogSlot } from "./CatalogAnswers.ts"
import { measureEndpoints, unmeasured } from "./measureModels.ts"
import { ModelCatalog } from "../ports/models.ts"
import { printedEndpoint } from "./printedEndpoint.ts"
import { findModel } from "../catalog/resolveModelName.ts"

/** The name is a slug or canonical slug, with or without a variant (Rule: models#model-names). A model may have a thousand endpoints. */
export const listEndpoints = operation("listEndpoints")(function* (
  { account_id }: Caller,
  author: string,
  slug: string
) {
  return yield* inCatalogSlot(account_id, endpointsOf(account_id, `${author}/${slug}`))
})

const endpointsOf = Effect.fnUntraced(function* (account_id: string, name: string) {
  const catalog = yield* ModelCatalog
  const entries = yield* catalog.named(account_id, [name])
  const model = findModel(name, entries)
  if (model === undefined) return yield* notFound()
  return printed(model, yield* measureEndpoints(account_id, model, entries))
})

const printed = (model: CatalogModel, measured: readonly EndpointStatistics[]): Model => ({
  id: model.id,
  name: model.name,
  created: model.created,
  description: model.description,
  architecture: model.architecture,
  endpoints: model.endpoints.map((endpoint, index) => printedEndpoint(model, endpoint, measured[index] ?? unmeasured))
})
