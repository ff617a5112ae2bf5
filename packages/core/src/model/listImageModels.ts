import type { CatalogModel, ImageModel } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { capabilitiesOf } from "./imageEndpoint.ts"
import { detailsOf } from "./listedModel.ts"
import { modelsGiving } from "./modelsGiving.ts"

const imageModel = (model: CatalogModel): ImageModel => {
  const { id, name, created, description, architecture, endpoints } = model
  const { input_modalities, output_modalities } = architecture
  return {
    id,
    name,
    created,
    description,
    architecture: { input_modalities, output_modalities },
    ...capabilitiesOf(endpoints),
    endpoints: `/images${detailsOf(id)}`
  }
}

/** Rule: models#lists-by-kind. */
export const listImageModels = operation("listImageModels")(function* ({ account_id }: Caller) {
  return yield* modelsGiving(account_id, "image", imageModel)
})
