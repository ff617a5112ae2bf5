/**
 * Lists of models that give something else than text: the catalog by output modality, in the shape that the public API has for each kind.
 *
 * Rule: models#lists-by-kind.
 */
import * as z from "zod"
import { modelExample } from "./model.ts"
import { listedModelExample, ModelList, ModelQuery } from "./modelList.ts"
import { operation } from "./operation.ts"
import { entriesOf, pathName } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Slug of the model, `author/slug`.",
  name: "Name of the model.",
  created: "Unix time in seconds when the model appeared.",
  description: "Description of the model for people.",
  supported_parameters: "Request parameters that are supported, by name.",
  supports_streaming: "Whether the request parameter `stream` is supported.",
  allowed_passthrough_parameters:
    "Options of the provider itself that are passed on. Always empty: the catalog does not list them."
} as const

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
const Capability = z.object({
  type: z
    .literal("boolean")
    .describe("Always `boolean`: the catalog knows that the parameter is supported, not its values.")
})

export const ImageModel = z
  .object({
    id: z.string().describe(about.id),
    name: z.string().describe(about.name),
    created: z.int().describe(about.created),
    description: z.string().describe(about.description),
    architecture: z
      .object({
        input_modalities: z
          .array(z.string())
          .describe("Kinds of input that the model takes, such as `text` and `image`."),
        output_modalities: z.array(z.string()).describe("Kinds of output that the model produces, such as `image`.")
      })
      .describe("Modalities of the model."),
    supported_parameters: z.record(z.string(), Capability).describe(about.supported_parameters),
    supports_streaming: z.boolean().describe(about.supports_streaming),
    endpoints: z.string().describe("Path of the model's endpoints, below the base path.")
  })
  .meta({ id: "ImageModel", description: "A model that generates images." })
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
  success: { schema: z.object({ data: entriesOf(ImageModel) }), etag: true },
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

export const ImagePrice = z
  .object({
    billable: z
      .enum(["output_image", "input_image", "input_text"])
      .describe("Thing that is charged for: generated images, images of the prompt, or text of the prompt."),
    unit: z.enum(["request", "image", "token"]).describe("Unit of the price."),
    cost_usd: z.number().describe("USD for one unit.")
  })
  .meta({ id: "ImagePrice", description: "A price of an endpoint for images." })
export type ImagePrice = z.output<typeof ImagePrice>

export const ImageEndpoint = z
  .object({
    provider_name: z.string().describe("Name of the provider for people."),
    provider_slug: z.string().describe("Slug of the provider, as guardrails and requests name it."),
    provider_tag: z.string().describe("Name of the endpoint in usage events and admissions."),
    allowed_passthrough_parameters: z.array(z.string()).describe(about.allowed_passthrough_parameters),
    supported_parameters: z.record(z.string(), Capability).describe(about.supported_parameters),
    supports_streaming: z.boolean().describe(about.supports_streaming),
    pricing: z.array(ImagePrice).describe("Prices of the endpoint. A price that is 0 or unknown has no entry.")
  })
  .meta({ id: "ImageEndpoint", description: "An endpoint that generates images." })
export type ImageEndpoint = z.output<typeof ImageEndpoint>

export const ImageModelEndpoints = z
  .object({
    id: z.string().describe(about.id),
    endpoints: z.array(ImageEndpoint).describe("Endpoints that serve the model.")
  })
  .meta({ id: "ImageModelEndpoints", description: "The endpoints of a model that generates images." })
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
  params: z.object({
    author: pathName.describe("First part of the model's slug: `acme` of `acme/sonnet`."),
    slug: pathName.describe("Second part of the model's slug, with or without a variant: `sonnet` of `acme/sonnet`.")
  }),
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

export const VideoModel = z
  .object({
    id: z.string().describe(about.id),
    canonical_slug: z.string().describe("Slug under which usage of the model is recorded."),
    name: z.string().describe(about.name),
    created: z.int().describe(about.created),
    description: z.string().describe(about.description),
    hugging_face_id: z.string().nullable().describe("Id of the model at Hugging Face. `null`: not known."),
    allowed_passthrough_parameters: z.array(z.string()).describe(about.allowed_passthrough_parameters),
    generate_audio: z.boolean().describe("Whether an endpoint supports the request parameter `generate_audio`."),
    seed: z.boolean().describe("Whether an endpoint supports the request parameter `seed`."),
    creativity: z.null().describe("Levels of creativity. Always `null`: the catalog does not list them."),
    pricing_skus: z.null().describe("Prices by variant. Always `null`: the catalog does not list them."),
    supported_aspect_ratios: z
      .null()
      .describe("Aspect ratios of videos. Always `null`: the catalog does not list them."),
    supported_durations: z.null().describe("Durations of videos. Always `null`: the catalog does not list them."),
    supported_frame_images: z
      .null()
      .describe("Images that a video can begin or end with. Always `null`: the catalog does not list them."),
    supported_resolutions: z.null().describe("Resolutions of videos. Always `null`: the catalog does not list them."),
    supported_sizes: z.null().describe("Sizes of videos. Always `null`: the catalog does not list them."),
    upscale_factor: z.null().describe("Factor of upscaling. Always `null`: the catalog does not list it.")
  })
  .meta({ id: "VideoModel", description: "A model that generates videos." })
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
  success: { schema: z.object({ data: entriesOf(VideoModel) }), etag: true },
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
