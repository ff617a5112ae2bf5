import type { ModelQuery } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { catalogAnswer } from "./CatalogAnswers.ts"
import { selectModels } from "./selectModels.ts"

/** The number of models that pass the filter (Rule: models#model-lists). */
export const countModels = operation("countModels")(function* (
  { account_id }: Caller,
  query: Pick<ModelQuery, "output_modalities">
) {
  return yield* catalogAnswer(
    account_id,
    `count ${JSON.stringify(query)}`,
    Effect.map(selectModels(account_id, query), ({ length }) => ({ data: { count: length } }))
  )
})
