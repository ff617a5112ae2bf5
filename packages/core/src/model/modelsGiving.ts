/** The models of one output modality, in the form of their list (Rule: models#lists-by-kind). */
import type { CatalogModel } from "@gatewarden/contract"
import { Effect } from "effect"
import { catalogAnswer } from "./CatalogAnswers.ts"
import { selectModels } from "./selectModels.ts"

export const modelsGiving = <M>(account_id: string, output_modalities: string, shown: (model: CatalogModel) => M) =>
  catalogAnswer(
    account_id,
    `kind ${output_modalities}`,
    Effect.map(selectModels(account_id, { output_modalities }), (models) => ({ data: models.map(shown) }))
  )
