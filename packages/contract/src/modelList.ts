/**
 * Lists of models: the catalog filtered, sorted and counted.
 *
 * Rule: models#model-lists, models#filters-of-model-lists.
 */
import * as z from "zod"
import { PrintedBenchmarks, PrintedDefaultParameters } from "./listing.ts"
import { modelExample, priceExample, PrintedPricing } from "./model.ts"
import { operation } from "./operation.ts"
import { dataOf, listOf, pathName, queryFlag, queryInteger, queryNumber } from "./primitives.ts"
import { UsageCategory } from "./usage.ts"

const ListedArchitecture = z.object({
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  modality: z.string(),
  instruct_type: z.string().nullable(),
  /** Left out if the catalog has none, because the public client refuses `null`. */
  tokenizer: z.string().optional()
})

/** A model in a list of models: the capabilities of all its endpoints, and the price of the first. */
export const ListedModel = z
  .object({
    id: z.string(),
    /** For clients of OpenAI. */
    object: z.literal("model"),
    /** The author, for clients of OpenAI. */
    owned_by: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    /** Unix time in seconds. */
    created: z.int(),
    description: z.string(),
    /** Tokens; the largest context of an endpoint. */
    context_length: z.int(),
    architecture: ListedArchitecture,
    /** Of the first endpoint. */
    pricing: PrintedPricing,
    /** The first endpoint. The catalog does not tell whether it moderates. */
    top_provider: z.object({
      context_length: z.int(),
      max_completion_tokens: z.int().nullable(),
      is_moderated: z.literal(false)
    }),
    /** Parameters that at least one endpoint takes. */
    supported_parameters: z.array(z.string()),
    per_request_limits: z.null(),
    default_parameters: PrintedDefaultParameters.nullable(),
    supported_voices: z.array(z.string()).nullable(),
    benchmarks: PrintedBenchmarks.optional(),
    hugging_face_id: z.string().optional(),
    knowledge_cutoff: z.string().optional(),
    expiration_date: z.string().optional(),
    /** Where its endpoints are, below the base path. */
    links: z.object({ details: z.string() })
  })
  .meta({ id: "ListedModel" })
export type ListedModel = z.output<typeof ListedModel>

/** A page of models. `object` is for clients of OpenAI; `next` is relative to the request, and `null` if there are no more. */
export const ModelList = listOf(ListedModel).extend({
  object: z.literal("list"),
  links: z.object({ next: z.string().nullable() })
})
export type ModelList = z.output<typeof ModelList>

export const modelSorts = [
  "most-popular",
  "newest",
  "top-weekly",
  "pricing-low-to-high",
  "pricing-high-to-low",
  "context-high-to-low",
  "throughput-high-to-low",
  "latency-low-to-high",
  "intelligence-high-to-low",
  "coding-high-to-low",
  "agentic-high-to-low",
  "design-arena-elo-high-to-low"
] as const
export type ModelSort = (typeof modelSorts)[number]

const modelPage = {
  limit: queryInteger({ min: 1, max: 1000, default: undefined }),
  offset: queryInteger({ min: 0, default: undefined, emptyIsDefault: true })
}

const words = z.string().max(4_096).optional()
const usdPerMillion = queryNumber({ min: 0, max: 1e9 })
const days = queryInteger({ min: 0, default: undefined, emptyIsDefault: true })
const index = queryNumber({ min: 0, max: 1_000_000 })
const share = queryNumber({ min: 0, max: 1 })

/** What `output_modalities` is where a request has none. */
export const defaultOutputModalities = "text"

export const ModelQuery = z.object({
  ...modelPage,
  /** Part of the name, the id or the canonical slug, without case. */
  q: words,
  category: UsageCategory.optional(),
  /** Separated by commas; the model has all of them. */
  supported_parameters: words,
  /** Separated by commas; the model takes all of them. */
  input_modalities: words,
  /** Separated by commas; the model gives at least one of them. `all`: every model. Default: `text`. */
  output_modalities: words,
  sort: z.enum(modelSorts).optional(),
  /** The least context in tokens. */
  context: queryInteger({ min: 1, default: undefined }),
  /** USD per million tokens of the prompt. */
  min_price: usdPerMillion,
  max_price: usdPerMillion,
  /** USD per million tokens of the completion. */
  min_output_price: usdPerMillion,
  max_output_price: usdPerMillion,
  /** The tokenizer, without case. */
  arch: words,
  /** Separated by commas; one of them. */
  model_authors: words,
  /** Separated by commas; one of them serves the model. */
  providers: words,
  distillable: z.enum(["true", "false"]).optional(),
  zdr: queryFlag,
  region: z.enum(["eu", "us"]).optional(),
  min_age_days: days,
  max_age_days: days,
  min_intelligence_index: index,
  max_intelligence_index: index,
  min_coding_index: index,
  max_coding_index: index,
  min_agentic_index: index,
  max_agentic_index: index,
  min_tool_success_rate: share,
  max_tool_success_rate: share,
  /** The list as an RSS 2.0 feed. */
  use_rss: queryFlag
})
export type ModelQuery = z.output<typeof ModelQuery>

export const listedModelExample = {
  ...modelExample,
  object: "model",
  owned_by: "acme",
  canonical_slug: "acme/sonnet-2026-01-01",
  context_length: 200_000,
  pricing: { ...priceExample, request: "0", image: "0" },
  top_provider: { context_length: 200_000, max_completion_tokens: 32_000, is_moderated: false },
  supported_parameters: ["temperature", "tools", "tool_choice"],
  per_request_limits: null,
  default_parameters: null,
  supported_voices: null,
  links: { details: "/models/acme/sonnet/endpoints" }
}

const listExample = { object: "list", data: [listedModelExample], total_count: 1, links: { next: null } }

export const listModels = operation({
  id: "listModels",
  method: "GET",
  path: "/models",
  tag: "Models",
  changes: "nothing",
  summary: "List the models",
  description:
    "The models of the catalog that have an endpoint, and those of the account's own, by id unless `sort` says otherwise. Only models that write text, unless `output_modalities` says otherwise. Without `limit` and `offset` the answer has all of them; with one, `limit` defaults to 500. A page ends at 4 MiB, and `links.next` refers to the next one, relative to this one. Price and `top_provider` are those of the first endpoint; `GET /models/{author}/{slug}/endpoints` has the others. What guardrails forbid a key is listed all the same; `GET /models/user` leaves it out. What is measured, and the age of a model, may be a minute old. `use_rss=true` answers `application/rss+xml`.",
  access: "anyKey",
  workspaceOf: "none",
  query: ModelQuery,
  success: { schema: ModelList, etag: true, textType: "application/rss+xml" },
  errors: [400, 401, 403, 500],
  example: { query: { limit: "1" }, response: listExample }
})

export const countModels = operation({
  id: "countModels",
  method: "GET",
  path: "/models/count",
  tag: "Models",
  changes: "nothing",
  summary: "Count the models",
  description: "How many models `GET /models` lists with the same `output_modalities`.",
  access: "anyKey",
  workspaceOf: "none",
  query: ModelQuery.pick({ output_modalities: true }),
  success: { schema: dataOf(z.object({ count: z.int() })), etag: true },
  errors: [400, 401, 403, 500],
  example: { query: { output_modalities: "text" }, response: { data: { count: 1 } } }
})

export const listUserModels = operation({
  id: "listUserModels",
  method: "GET",
  path: "/models/user",
  tag: "Models",
  changes: "nothing",
  summary: "List the models that the key may use",
  description:
    "The models that an admission of this key would find a candidate for: the guardrails of its workspace, its user and the key itself apply, the credentials of its workspace, and the region through which the request arrives. Each model is shown with the endpoints that are left. A key that no guardrail restricts sees what `GET /models` lists.",
  access: "anyKey",
  workspaceOf: "none",
  query: ModelQuery.pick({ limit: true, offset: true, output_modalities: true }),
  success: { schema: ModelList, etag: true },
  errors: [400, 401, 403, 500],
  example: { query: { limit: "1" }, response: listExample }
})

export const getModel = operation({
  id: "getModel",
  method: "GET",
  path: "/model/:author/:slug",
  tag: "Models",
  changes: "nothing",
  summary: "Get a model",
  description: "The model by slug or canonical slug, with or without a variant, as `GET /models` lists it.",
  access: "anyKey",
  workspaceOf: "none",
  params: z.object({ author: pathName, slug: pathName }),
  success: { schema: dataOf(ListedModel) },
  errors: [401, 403, 404, 500],
  example: { params: { author: "acme", slug: "sonnet" }, response: { data: listedModelExample } }
})
