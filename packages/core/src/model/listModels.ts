import type { ModelList, ModelQuery } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { inSlices } from "../value/inSlices.ts"
import { catalogList, catalogText } from "./CatalogAnswers.ts"
import { feedType, modelFeed } from "./modelFeed.ts"
import { pageOfModels } from "./pageOfModels.ts"
import { selectModels } from "./selectModels.ts"

export type ModelListQuery = Partial<ModelQuery> & Pick<ModelQuery, "limit" | "offset">

/** The query string of a page, without `limit` and `offset`, to be followed by them. */
export const searchOf = ({ limit: _, offset: __, ...rest }: ModelListQuery): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== false) search.set(name, String(value))
  return search.size === 0 ? "" : `${search.toString()}&`
}

/**
 * The models that pass the filters, in order: all of them, or a page if the request has `limit` or `offset`
 * (Rule: models#model-lists, models#filters-of-model-lists).
 */
export const listModels = operation("listModels")(function* (caller: Caller, query: ModelListQuery) {
  const { account_id } = caller
  const { limit, offset, use_rss, ...filter } = query
  const selected = selectModels(account_id, filter)
  const asked = `models ${JSON.stringify(query)}`
  if (use_rss === true)
    return yield* catalogText<ModelList, never, Effect.Services<typeof selected>>(
      account_id,
      asked,
      feedType,
      Effect.flatMap(selected, (models) => inSlices(modelFeed(models, { limit, offset }, searchOf(query))))
    )
  return yield* catalogList(
    account_id,
    asked,
    Effect.map(selected, (models) => pageOfModels(models, { limit, offset }, searchOf(query)))
  )
})
