/**
 * Lists of models that give something else than text: the catalog by output modality, in the shape that the public API has for each kind.
 *
 * Rule: models#lists-by-kind.
 */
import * as z from "zod"
import { modelExample } from "./model.ts"
import { listedModelExample, ModelList, ModelQuery } from "./modelList.ts"
import { operation } from "./operation.ts"

export const listEmbeddingModels = operation({
  id: "listEmbeddingModels",
  method: "GET",
  path: "/embeddings/models",
  tag: "Models",
  changes: "nothing",
  summary: "List the models for embeddings",
  description: "The same as `GET /models?output_modalities=embeddings`.",
  access: "anyKey",
  query: ModelQuery.pick({ limit: true, offset: true }),
  success: { schema: ModelList, etag: true },
  errors: [400, 401, 403, 500],
  example: {
    query: { limit: "1" },
    response: {
      object: "list",
      data: [
        {
          ...listedModelExample,
          architecture: {
            ...modelExample.architecture,
            output_modalities: ["embeddings"],
            modality: "text->embeddings"
          }
        }
      ],
      total_count: 1,
      links: { next: null }
    }
  }
})

/** A parameter that is accepted. The catalog does not tell which values. */
const Capability = z.object({ type: z.literal("boolean") })

export const ImageModel = z
  .object({
    id: z.string(),
    name: z.string(),
    created: z.int(),
    description: z.string(),
    architecture: z.object({ input_modalities: z.array(z.string()), output_modalities: z.array(z.string()) }),
    /** Parameters that at least one endpoint takes. */
    supported_parameters: z.record(z.string(), Capability),
    /** Whether an endpoint takes the parameter `stream`. */
    supports_streaming: z.boolean(),
    /** Where its endpoints are, below the base path. */
    endpoints: z.string()
  })
  .meta({ id: "ImageModel" })
export type ImageModel = z.output<typeof ImageModel>

export const listImageModels = operation({
  id: "listImageModels",
  method: "GET",
  path: "/images/models",
  tag: "Models",
  changes: "nothing",
  summary: "List the models for images",
  description: "The models of the catalog that give images, by id.",
  access: "anyKey",
  success: { schema: z.object({ data: z.array(ImageModel) }), etag: true },
  errors: [401, 403, 500],
  example: {
    response: {
      data: [
        {
          id: modelExample.id,
          name: modelExample.name,
          created: modelExample.created,
          description: modelExample.description,
          architecture: { input_modalities: ["text"], output_modalities: ["image"] },
          supported_parameters: { n: { type: "boolean" }, size: { type: "boolean" } },
          supports_streaming: false,
          endpoints: "/models/acme/sonnet/endpoints"
        }
      ]
    }
  }
})

/** `null`: the catalog does not tell. */
export const VideoModel = z
  .object({
    id: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    created: z.int(),
    description: z.string(),
    hugging_face_id: z.string().nullable(),
    allowed_passthrough_parameters: z.array(z.string()),
    /** Whether an endpoint takes the parameter; the catalog lists those that are taken. */
    generate_audio: z.boolean(),
    seed: z.boolean(),
    creativity: z.null(),
    pricing_skus: z.null(),
    supported_aspect_ratios: z.null(),
    supported_durations: z.null(),
    supported_frame_images: z.null(),
    supported_resolutions: z.null(),
    supported_sizes: z.null(),
    upscale_factor: z.null()
  })
  .meta({ id: "VideoModel" })
export type VideoModel = z.output<typeof VideoModel>

export const listVideoModels = operation({
  id: "listVideoModels",
  method: "GET",
  path: "/videos/models",
  tag: "Models",
  changes: "nothing",
  summary: "List the models for videos",
  description: "The models of the catalog that give videos, by id. What the catalog does not tell is `null`.",
  access: "anyKey",
  success: { schema: z.object({ data: z.array(VideoModel) }), etag: true },
  errors: [401, 403, 500],
  example: {
    response: {
      data: [
        {
          id: modelExample.id,
          canonical_slug: modelExample.id,
          name: modelExample.name,
          created: modelExample.created,
          description: modelExample.description,
          hugging_face_id: null,
          allowed_passthrough_parameters: [],
          generate_audio: false,
          seed: true,
          creativity: null,
          pricing_skus: null,
          supported_aspect_ratios: null,
          supported_durations: null,
          supported_frame_images: null,
          supported_resolutions: null,
          supported_sizes: null,
          upscale_factor: null
        }
      ]
    }
  }
})
