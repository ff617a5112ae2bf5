/**
 * Models and their endpoints: the catalog as an operator writes it, and a model as callers read it.
 *
 * Rule: models#catalog, models#endpoint-statistics, requests#additional-fields.
 */
import * as z from "zod"
import { Listing, ProviderInfo } from "./listing.ts"
import { manyOf } from "./manyOf.ts"
import { json, operation } from "./operation.ts"
import { price, Pricing, PrintedPricing } from "./pricing.ts"
import { codePoints, dataOf, entriesOf, orAbsent, pathName, Region, text } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  input_modalities: "Kinds of input that the model takes, such as `text` and `image`.",
  output_modalities: "Kinds of output that the model produces, such as `text`.",
  instruct_type: "Format of instructions. `null`: not known.",
  tokenizer: "Family of the tokenizer. `null`: not known.",
  provider_name: "Name of the provider for people.",
  tag: "Name of the endpoint in usage events and admissions, such as `acme/fp8`.",
  context_length: "Maximum number of tokens of prompt and completion together.",
  max_completion_tokens: "Maximum number of completion tokens. `null`: not known.",
  max_prompt_tokens: "Maximum number of prompt tokens. `null`: not known.",
  pricing: "Prices of the endpoint in USD, as decimal strings.",
  supported_parameters: "Request parameters that the endpoint supports.",
  supports_implicit_caching: "Whether the endpoint caches prompts by itself.",
  name: "Name of the model.",
  created: "Unix time in seconds when the model appeared.",
  description: "Description of the model for people.",
  architecture: "Modalities and format of the model."
} as const

/** `author/slug` with a variant of the slug after a colon or without one: `openai/gpt-4`, `openai/gpt-4:free`. */
export const modelId = z
  .string()
  .regex(/^[^\s\p{Cc}/]+\/[^\s\p{Cc}/:]+(?::[^\s\p{Cc}/:]+)*$/u, "Expected author/slug or author/slug:variant")
  .refine((id) => codePoints(id) <= 256, { message: "Expected at most 256 characters", params: { code: "too_long" } })

const count = z.int().min(0)

const ToolChoiceSupport = z.object({
  auto: z.boolean().describe('Whether `tool_choice: "auto"` is supported.'),
  function: z.boolean().describe("Whether a `tool_choice` that names a function is supported."),
  none: z.boolean().describe('Whether `tool_choice: "none"` is supported.'),
  required: z.boolean().describe('Whether `tool_choice: "required"` is supported.')
})

const modalities = z.array(text(1, 32)).max(20)

/** Input and output modalities. `modality` is derived from the two lists if it is absent: `text+image->text`. */
export const Architecture = z
  .object({
    input_modalities: modalities.describe(about.input_modalities),
    output_modalities: modalities.describe(about.output_modalities),
    modality: text(0, 256)
      .nullish()
      .describe("Input and output modalities in one text: `text+image->text`. Default: derived from the two lists."),
    instruct_type: text(0, 64).nullish().describe(about.instruct_type),
    tokenizer: text(0, 64).nullish().describe(about.tokenizer)
  })
  .transform(({ input_modalities, output_modalities, modality, instruct_type, tokenizer }) => ({
    input_modalities,
    output_modalities,
    modality: modality ?? `${input_modalities.join("+")}->${output_modalities.join("+")}`,
    instruct_type: instruct_type ?? null,
    tokenizer: tokenizer ?? null
  }))

/** At least 1: an endpoint that reads or writes nothing is none, and a data plane could take 0 for no maximum. */
const maximum = z
  .int()
  .min(1)
  .nullish()
  .transform((value) => value ?? null)

export const CatalogEndpoint = z
  .object({
    name: text(1, 512).describe("Name of the endpoint."),
    model_name: text(1, 512)
      .nullish()
      .describe("Name of the model as the endpoint shows it. Default: the name of the model."),
    provider_name: text(1, 256).describe(about.provider_name),
    provider_slug: text(1, 256).describe("Slug of the provider, as guardrails and requests name it."),
    provider_info: orAbsent(ProviderInfo).describe("Facts about the provider, for `GET /providers`."),
    tag: text(1, 256).describe(about.tag),
    context_length: count.describe(about.context_length),
    max_completion_tokens: maximum.describe(about.max_completion_tokens),
    max_prompt_tokens: maximum.describe(about.max_prompt_tokens),
    pricing: Pricing.describe(about.pricing),
    server_tool_prices: orAbsent(z.record(text(1, 128), price)).describe(
      "USD for each use of a server tool or plugin, by its type or id: `openrouter:web_fetch`, `file-parser`. Web searches have `pricing.web_search`. A tool without a price is refused under a budget."
    ),
    quantization: text(0, 64)
      .nullish()
      .transform((value) => value ?? null)
      .describe("Precision of the weights, such as `fp8`. `null` or absent: not known."),
    status: z
      .int32()
      .default(0)
      .describe("State of the endpoint, as the operator wrote it to the catalog. Default: 0."),
    supported_parameters: z.array(text(1, 256)).max(1000).default([]).describe(about.supported_parameters),
    supports_implicit_caching: z.boolean().default(false).describe(about.supports_implicit_caching),
    supports_tool_choice: ToolChoiceSupport.nullish().describe(
      "Values of `tool_choice` that the endpoint supports. Default: all, if `supported_parameters` has `tools`."
    ),
    data_regions: z
      .array(Region)
      .min(1)
      .max(1000)
      .overwrite((regions) => [...new Set(regions)])
      .default(["global"])
      .describe("Regions in which the endpoint processes data. Default: `global` alone."),
    zero_data_retention: z
      .boolean()
      .default(false)
      .describe("Whether the endpoint guarantees zero data retention. Default: `false`."),
    trains_on_data: z
      .boolean()
      .default(false)
      .describe("Whether the provider trains on the data of requests. Default: `false`."),
    publishes_prompts: z.boolean().default(false).describe("Whether the provider publishes prompts. Default: `false`.")
  })
  .meta({ id: "CatalogEndpoint", description: "An endpoint of a model, as the catalog stores it." })
export type CatalogEndpoint = z.output<typeof CatalogEndpoint>

type NamedEndpoint = CatalogEndpoint & { model_name: string }

/** The name of the aggregate row of the rankings, so no model may have it. */
const reservedSlug = "other"

const canonicalSlug = z.string().superRefine((slug, context) => {
  if (slug.toLowerCase() === reservedSlug)
    context.addIssue({
      code: "custom",
      params: { code: "reserved_model", reason: "reserved_model" },
      message: `${reservedSlug} is the name of the rankings' aggregate`
    })
})

/** Maximum number of endpoints of a model, because a model is read and written with all of them. */
export const maxEndpoints = 1_000

export const CatalogModel = z
  .object({
    id: canonicalSlug
      .pipe(modelId)
      .describe("Slug of the model, `author/slug`, with or without a variant: `acme/sonnet:free`."),
    name: text(1, 512).describe(about.name),
    created: count.describe(about.created),
    description: text(0, 100_000).default("").describe(about.description),
    architecture: Architecture.describe(about.architecture),
    canonical_slug: canonicalSlug
      .pipe(modelId)
      .nullish()
      .describe("Slug under which usage is recorded and ranked. Default: the id."),
    public: z.boolean().default(true).describe("Whether the rankings show the model. Default: `true`."),
    /** What lists of models show and filter by in addition. */
    listing: Listing.prefault({}),
    endpoints: manyOf(CatalogEndpoint)
      .max(maxEndpoints)
      .describe("Endpoints of the model. They replace all that it had.")
  })
  .transform((model) => {
    // The endpoints are new objects of the parser already; copying tens of thousands takes long.
    for (const endpoint of model.endpoints) endpoint.model_name ??= model.name
    return {
      ...model,
      canonical_slug: model.canonical_slug ?? model.id,
      endpoints: model.endpoints as NamedEndpoint[]
    }
  })
  .meta({ id: "CatalogModel", description: "A model with all its endpoints, as the catalog stores it." })
export type CatalogModel = z.output<typeof CatalogModel>

const distinctIds = (models: readonly { readonly id: string }[], context: z.RefinementCtx): void => {
  const seen = new Set<string>()
  models.forEach(({ id }, index) => {
    if (seen.has(id))
      context.addIssue({
        code: "custom",
        path: [index, "id"],
        params: { code: "repeated" },
        message: "Given more than once in one request"
      })
    seen.add(id)
  })
}

export const PutCatalog = z
  .object({
    models: manyOf(CatalogModel)
      .superRefine(distinctIds)
      .describe("Models to write. Models that the request does not name stay.")
  })
  .meta({ id: "PutCatalog", description: "Models to write to the catalog." })
export type PutCatalog = z.output<typeof PutCatalog>

const Percentiles = z.object({
  p50: z.number().describe("Median: half of the values are at most this."),
  p75: z.number().describe("75th percentile of the values."),
  p90: z.number().describe("90th percentile of the values."),
  p99: z.number().describe("99th percentile of the values.")
})
export type Percentiles = z.output<typeof Percentiles>

/** Figures of an endpoint from its usage events; `null` without events (Rule: models#endpoint-statistics). */
export const EndpointStatistics = z.object({
  latency_last_30m: Percentiles.nullable().describe(
    "Milliseconds to the first token in the last 30 minutes. `null`: no measurement."
  ),
  throughput_last_30m: Percentiles.nullable().describe(
    "Completion tokens a second in the last 30 minutes. `null`: no measurement."
  ),
  uptime_last_5m: z
    .number()
    .nullable()
    .describe("Percentage of the requests of the last 5 minutes that succeeded. `null`: no measurement."),
  uptime_last_30m: z
    .number()
    .nullable()
    .describe("Percentage of the requests of the last 30 minutes that succeeded. `null`: no measurement."),
  uptime_last_1d: z
    .number()
    .nullable()
    .describe("Percentage of the requests of the last 24 hours that succeeded. `null`: no measurement.")
})
export type EndpointStatistics = z.output<typeof EndpointStatistics>

export const Endpoint = z
  .object({
    name: z.string().describe("Name of the endpoint."),
    model_id: z.string().describe("Canonical slug of the model."),
    model_name: z.string().describe("Name of the model as the endpoint shows it."),
    provider_name: z.string().describe(about.provider_name),
    tag: z.string().describe(about.tag),
    context_length: z.int().describe(about.context_length),
    max_completion_tokens: z.int().nullable().describe(about.max_completion_tokens),
    max_prompt_tokens: z.int().nullable().describe(about.max_prompt_tokens),
    pricing: PrintedPricing.describe(about.pricing),
    quantization: z.string().nullable().describe("Precision of the weights, such as `fp8`. `null`: not known."),
    // Rule: requests#wire-profiles.
    status: z
      .union([z.string(), z.int()])
      .describe("State of the endpoint in the catalog, as a decimal string; an integer for `@openrouter/sdk`."),
    supported_parameters: z.array(z.string()).describe(about.supported_parameters),
    supports_implicit_caching: z.boolean().describe(about.supports_implicit_caching),
    supports_tool_choice: ToolChoiceSupport.describe("Values of `tool_choice` that the endpoint supports."),
    ...EndpointStatistics.shape
  })
  .meta({ id: "Endpoint", description: "An endpoint that serves a model, with its prices and its measurements." })
export type Endpoint = z.output<typeof Endpoint>

export const Model = z
  .object({
    id: z.string().describe("Slug of the model, `author/slug`."),
    name: z.string().describe(about.name),
    created: z.int().describe(about.created),
    description: z.string().describe(about.description),
    architecture: z
      .object({
        input_modalities: z.array(z.string()).describe(about.input_modalities),
        output_modalities: z.array(z.string()).describe(about.output_modalities),
        modality: z.string().describe("Input and output modalities in one text: `text+image->text`."),
        instruct_type: z.string().nullable().describe(about.instruct_type),
        tokenizer: z.string().nullable().describe(about.tokenizer)
      })
      .describe(about.architecture),
    endpoints: z.array(Endpoint).describe("Endpoints that serve the model.")
  })
  .meta({ id: "Model", description: "A model with its endpoints." })
export type Model = z.output<typeof Model>

export const modelExample = {
  id: "acme/sonnet",
  name: "Acme: Sonnet",
  created: 1_767_225_600,
  description: "A model for prose",
  architecture: {
    input_modalities: ["text", "image"],
    output_modalities: ["text"],
    modality: "text+image->text",
    instruct_type: "chatml",
    tokenizer: "Other"
  }
}

export const endpointExample = {
  name: "Acme | acme/sonnet-2026-01-01",
  model_name: "Acme: Sonnet",
  provider_name: "Acme",
  tag: "acme/fp8",
  context_length: 200_000,
  max_completion_tokens: 32_000,
  max_prompt_tokens: null,
  quantization: "fp8",
  supported_parameters: ["temperature", "tools", "tool_choice"],
  supports_implicit_caching: true
}

export const priceExample = { prompt: "0.000003", completion: "0.000015" }

const printedEndpointExample = {
  ...endpointExample,
  model_id: "acme/sonnet-2026-01-01",
  pricing: { ...priceExample, request: "0", image: "0" },
  status: "0",
  supports_tool_choice: { auto: true, function: true, none: true, required: true },
  latency_last_30m: { p50: 412, p75: 530, p90: 745.5, p99: 1310 },
  throughput_last_30m: { p50: 88.2, p75: 101.4, p90: 120, p99: 141.7 },
  uptime_last_5m: 100,
  uptime_last_30m: 99.8,
  uptime_last_1d: 99.95
}

export const listEndpoints = operation({
  id: "listEndpoints",
  method: "GET",
  path: "/models/:author/:slug/endpoints",
  tag: "Endpoints",
  changes: "nothing",
  summary: "List the endpoints of a model",
  description:
    "The model by slug or canonical slug, with or without a variant (`gpt-4:free`). Latency, throughput and uptime are measured from recorded usage; `null` where nothing was measured. To `@openrouter/sdk` `status` is an integer.",
  access: "anyKey",
  workspaceOf: "none",
  params: z.object({
    author: pathName.describe("First part of the model's slug: `acme` of `acme/sonnet`."),
    slug: pathName.describe("Second part of the model's slug, with or without a variant: `sonnet` of `acme/sonnet`.")
  }),
  success: { schema: dataOf(Model) },
  errors: [401, 403, 404, 500],
  example: {
    params: { author: "acme", slug: "sonnet" },
    response: {
      data: {
        ...modelExample,
        endpoints: [printedEndpointExample]
      }
    }
  }
})

export const listZdrEndpoints = operation({
  id: "listZdrEndpoints",
  method: "GET",
  path: "/endpoints/zdr",
  tag: "Endpoints",
  changes: "nothing",
  summary: "List the endpoints with zero data retention",
  description:
    "The endpoints of all models that the account sees which keep no data, by model, as `GET /models/{author}/{slug}/endpoints` shows them. What is measured may be a minute old.",
  access: "anyKey",
  workspaceOf: "none",
  success: { schema: z.object({ data: entriesOf(Endpoint) }), etag: true },
  errors: [401, 403, 500],
  example: { response: { data: [printedEndpointExample] } }
})

/** A catalog may hold thousands of models. */
const maxCatalogBodyBytes = 32 * 1_048_576

export const putCatalog = operation({
  id: "putCatalog",
  method: "PUT",
  path: "/gateway/catalog",
  tag: "Gateway",
  changes: { noun: "catalog", action: "update" },
  summary: "Write models and their endpoints",
  description:
    "Adds the models, or replaces those of the same id with their whole endpoint lists; others stay. All or nothing. The catalog belongs to the installation, not to an account: it takes a management key of the account `default` or a gateway key. With `account=own` any management key writes models of its own account, at most 1,000, which no other account sees or uses; an id or canonical slug of the installation's catalog is refused with 400 `model_taken`, and one that the operator imports later hides the account's. The tags of their endpoints are the `provider_slug`, or begin with it and a slash.",
  access: "managementKey",
  gatewayKey: true,
  sharedWithout: "account",
  query: z.object({
    account: z
      .enum(["own"])
      .optional()
      .describe("`own`: writes models that only your account sees. Absent: writes the catalog of the installation.")
  }),
  body: json(PutCatalog, maxCatalogBodyBytes),
  success: {
    schema: dataOf(
      z
        .object({
          models: z.int().describe("Number of models that were written."),
          endpoints: z.int().describe("Number of endpoints that were written.")
        })
        .describe("Counts of what was written.")
    )
  },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      models: [
        {
          ...modelExample,
          canonical_slug: "acme/sonnet-2026-01-01",
          endpoints: [
            { ...endpointExample, provider_slug: "acme", pricing: priceExample, data_regions: ["global", "europe"] }
          ]
        }
      ]
    },
    response: { data: { models: 1, endpoints: 1 } }
  }
})
