import type { CatalogModel, VideoModel } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { parametersOf } from "./listedModel.ts"
import { modelsGiving } from "./modelsGiving.ts"

const videoModel = (model: CatalogModel): VideoModel => {
  const { id, canonical_slug, name, created, description, listing, endpoints } = model
  const parameters = parametersOf(endpoints)
  return {
    id,
    canonical_slug,
    name,
    created,
    description,
    hugging_face_id: listing.hugging_face_id ?? null,
    allowed_passthrough_parameters: [],
    generate_audio: parameters.has("generate_audio"),
    seed: parameters.has("seed"),
    creativity: null,
    pricing_skus: null,
    supported_aspect_ratios: null,
    supported_durations: null,
    supported_frame_images: null,
    supported_resolutions: null,
    supported_sizes: null,
    upscale_factor: null
  }
}

/** Rule: models#lists-by-kind. */
export const listVideoModels = operation("listVideoModels")(function* ({ account_id }: Caller) {
  return yield* modelsGiving(account_id, "video", videoModel)
})
