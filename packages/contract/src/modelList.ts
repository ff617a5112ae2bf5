/**
 * Lists of models: the catalog filtered, sorted and counted.
 *
 * Rule: models#model-lists, models#filters-of-model-lists.
 */
import * as z from "zod"
import { PrintedBenchmarks, PrintedDefaultParameters } from "./listing.ts"
import { modelExample, priceExample } from "./model.ts"
import { PrintedPricing } from "./pricing.ts"
import { operation } from "./operation.ts"
import { dataOf, listOf, pathName, queryFlag, queryInteger, queryNumber } from "./primitives.ts"
import { UsageCategory } from "./usage.ts"

const ListedArchitecture = z.object({
  input_modalities: z.array(z.string()).describe("Kinds of input that the model takes, such as `text` and `image`."),
  output_modalities: z.array(z.string()).describe("Kinds of output that the model produces, such as `text`."),
  modality: z.string().describe("Input and output modalities in one text: `text+image->text`."),
  instruct_type: z.string().nullable().describe("Format of instructions. `null`: not known."),
  tokenizer: z.string().optional().describe("Family of the tokenizer. Absent: not known.")
})

export const ListedModel = z
  .object({
    id: z.string().describe("Slug of the model, `author/slug`, with or without a variant."),
    object: z.literal("model").describe("Always `model`, for clients of OpenAI."),
    owned_by: z.string().describe("Author of the model, for clients of OpenAI."),
    canonical_slug: z.string().describe("Slug under which usage of the model is recorded."),
    name: z.string().describe("Name of the model."),
    created: z.int().describe("Unix time in seconds when the model appeared."),
    description: z.string().describe("Description of the model for people."),
    context_length: z.int().describe("Largest context of an endpoint, in tokens."),
    architecture: ListedArchitecture.describe("Modalities and format of the model."),
    pricing: PrintedPricing.describe("Prices of the first endpoint in USD, as decimal strings."),
    top_provider: z
      .object({
        context_length: z.int().describe("Context of the endpoint, in tokens."),
        max_completion_tokens: z.int().nullable().describe("Maximum number of completion tokens. `null`: not known."),
        is_moderated: z
          .literal(false)
          .describe("Always `false`: the catalog does not say whether the endpoint moderates.")
      })
      .describe("Limits of the first endpoint."),
    supported_parameters: z.array(z.string()).describe("Request parameters that at least one endpoint supports."),
    per_request_limits: z.null().describe("Always `null`: there are no limits for a single request."),
    default_parameters: PrintedDefaultParameters.nullable().describe(
      "Sampling settings that apply if a request names none. `null`: not known."
    ),
    supported_voices: z.array(z.string()).nullable().describe("Voices that a speech model offers. `null`: not known."),
    benchmarks: PrintedBenchmarks.optional().describe("Scores of public benchmarks. Absent: not known."),
    hugging_face_id: z.string().optional().describe("Id of the model at Hugging Face. Absent: not known."),
    knowledge_cutoff: z.string().optional().describe("Date of the latest training data. Absent: not known."),
    expiration_date: z.string().optional().describe("Date on which the model is withdrawn. Absent: none is known."),
    links: z
      .object({ details: z.string().describe("Path of the model's endpoints, below the base path.") })
      .describe("Links of the model.")
  })
  .meta({
    id: "ListedModel",
    description: "A model in a list, with the capabilities of all its endpoints and the price of the first."
  })
export type ListedModel = z.output<typeof ListedModel>

/** A page of models. `object` is for clients of OpenAI; `next` is relative to the request, and `null` if there are no more. */
export const ModelList = listOf(ListedModel).extend({
  object: z.literal("list").describe("Always `list`, for clients of OpenAI."),
  links: z
    .object({
      next: z
        .string()
        .nullable()
        .describe("Address of the next page, relative to the request. `null`: this is the last page.")
    })
    .describe("Links of the list.")
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
  limit: queryInteger({ min: 1, max: 1000, default: undefined }).describe(
    "Maximum number of models on the page. Default: 500 if `offset` is sent, otherwise all models."
  ),
  offset: queryInteger({ min: 0, default: undefined, emptyIsDefault: true }).describe(
    "Number of models to skip before the page. Default: 0."
  )
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
  q: words.describe("Text that the name, the id or the canonical slug contains, in any case."),
  category: UsageCategory.optional().describe("Use case of the model. `marketing` includes `marketing/seo`."),
  supported_parameters: words.describe(
    "Request parameters, separated by commas. The endpoints of the model together support all of them."
  ),
  input_modalities: words.describe("Input modalities, separated by commas. The model takes all of them."),
  output_modalities: words.describe(
    "Output modalities, separated by commas. The model produces at least one of them. `all`: every model. Default: `text`."
  ),
  sort: z
    .enum(modelSorts)
    .optional()
    .describe("Order of the models. Models without the value come last. Default: by id."),
  context: queryInteger({ min: 1, default: undefined }).describe("Minimum context in tokens."),
  min_price: usdPerMillion.describe("Minimum price of the prompt in USD per million tokens, of the first endpoint."),
  max_price: usdPerMillion.describe("Maximum price of the prompt in USD per million tokens, of the first endpoint."),
  min_output_price: usdPerMillion.describe(
    "Minimum price of the completion in USD per million tokens, of the first endpoint."
  ),
  max_output_price: usdPerMillion.describe(
    "Maximum price of the completion in USD per million tokens, of the first endpoint."
  ),
  arch: words.describe("Family of the tokenizer, in any case."),
  model_authors: words.describe("Authors, separated by commas. One of them made the model."),
  providers: words.describe("Providers by slug, name or tag, separated by commas. One of them serves the model."),
  distillable: z
    .enum(["true", "false"])
    .optional()
    .describe("`true`: models whose author allows training on their output. `false`: the other models."),
  zdr: queryFlag.describe("`true`: only models with an endpoint that guarantees zero data retention."),
  region: z.enum(["eu", "us"]).optional().describe("Data region of at least one endpoint."),
  min_age_days: days.describe("Minimum age of the model in days of 24 hours."),
  max_age_days: days.describe("Maximum age of the model in days of 24 hours."),
  min_intelligence_index: index.describe("Minimum `intelligence_index` of Artificial Analysis."),
  max_intelligence_index: index.describe("Maximum `intelligence_index` of Artificial Analysis."),
  min_coding_index: index.describe("Minimum `coding_index` of Artificial Analysis."),
  max_coding_index: index.describe("Maximum `coding_index` of Artificial Analysis."),
  min_agentic_index: index.describe("Minimum `agentic_index` of Artificial Analysis."),
  max_agentic_index: index.describe("Maximum `agentic_index` of Artificial Analysis."),
  min_tool_success_rate: share.describe("Minimum share of requests with tools that ended in a tool call, 0 to 1."),
  max_tool_success_rate: share.describe("Maximum share of requests with tools that ended in a tool call, 0 to 1."),
  use_rss: queryFlag.describe("`true`: answers the list as an RSS 2.0 feed.")
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
  success: {
    schema: dataOf(
      z.object({ count: z.int().describe("Number of models that match.") }).describe("Count of the models.")
    ),
    etag: true
  },
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
  params: z.object({
    author: pathName.describe("First part of the model's slug: `acme` of `acme/sonnet`."),
    slug: pathName.describe("Second part of the model's slug, with or without a variant: `sonnet` of `acme/sonnet`.")
  }),
  success: { schema: dataOf(ListedModel) },
  errors: [401, 403, 404, 500],
  example: { params: { author: "acme", slug: "sonnet" }, response: { data: listedModelExample } }
})
