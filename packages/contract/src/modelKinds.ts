/**
 * Lists of models that give something else than text: the catalog by output modality, in the shape that the public API has for each kind.
 *
 * Rule: models#lists-by-kind.
 */
import * as z from "zod"
import { modelExample } from "./model.ts"
import { listedModelExample, ModelList, ModelQuery } from "./modelList.ts"
import { operation } from "./operation.ts"
import { pathName } from "./primitives.ts"

export const listEmbeddingModels = operation({
  id: "listEmbeddingModels",
  method: "GET",
  path: "/embeddings/models",
  tag: "Models",
  changes: "nothing",
  summary: "List the models for embeddings",
  description: "The same as `GET /models?output_modalities=embeddings`.",
  access: "anyKey",
  workspaceOf: "none",
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
  workspaceOf: "none",
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
          endpoints: "/images/models/acme/sonnet/endpoints"
        }
      ]
    }
  }
})

/** What an endpoint charges for, from its prices in the catalog. A price that is 0 or unknown has no line. */
export const ImagePrice = z
  .object({
    billable: z.enum(["output_image", "input_image", "input_text"]),
    unit: z.enum(["request", "image", "token"]),
    cost_usd: z.number()
  })
  .meta({ id: "ImagePrice" })
export type ImagePrice = z.output<typeof ImagePrice>

export const ImageEndpoint = z
  .object({
    provider_name: z.string(),
    provider_slug: z.string(),
    provider_tag: z.string(),
    /** The catalog does not tell which options of its own a provider takes. */
    allowed_passthrough_parameters: z.array(z.string()),
    supported_parameters: z.record(z.string(), Capability),
    /** Whether it takes the parameter `stream`. */
    supports_streaming: z.boolean(),
    pricing: z.array(ImagePrice)
  })
  .meta({ id: "ImageEndpoint" })
export type ImageEndpoint = z.output<typeof ImageEndpoint>

export const ImageModelEndpoints = z
  .object({ id: z.string(), endpoints: z.array(ImageEndpoint) })
  .meta({ id: "ImageModelEndpoints" })
export type ImageModelEndpoints = z.output<typeof ImageModelEndpoints>

export const listImageModelEndpoints = operation({
  id: "listImageModelEndpoints",
  method: "GET",
  path: "/images/models/:author/:slug/endpoints",
  tag: "Models",
  changes: "nothing",
  summary: "List the endpoints of a model for images",
  description:
    "The model by slug or canonical slug, with or without a variant. A model that gives no images is 404. Prices are those of the catalog, as lines: per request, per image of the prompt, per token.",
  access: "anyKey",
  workspaceOf: "none",
  params: z.object({ author: pathName, slug: pathName }),
  success: { schema: ImageModelEndpoints },
  errors: [401, 403, 404, 500],
  example: {
    params: { author: "acme", slug: "sonnet" },
    response: {
      id: modelExample.id,
      endpoints: [
        {
          provider_name: "Acme",
          provider_slug: "acme",
          provider_tag: "acme/fp8",
          allowed_passthrough_parameters: [],
          supported_parameters: { n: { type: "boolean" }, size: { type: "boolean" } },
          supports_streaming: false,
          pricing: [{ billable: "output_image", unit: "token", cost_usd: 0.00003 }]
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
  workspaceOf: "none",
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
