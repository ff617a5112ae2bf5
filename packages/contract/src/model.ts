/**
 * Models and their endpoints: the catalog as an operator writes it, and a model as callers read it.
 *
 * Rule: models#catalog, models#endpoint-statistics, requests#additional-fields.
 */
import * as z from "zod"
import { Listing, ProviderInfo } from "./listing.ts"
import { manyOf } from "./manyOf.ts"
import { json, operation } from "./operation.ts"
import { codePoints, dataOf, orAbsent, pathName, Region, text } from "./primitives.ts"

/** `author/slug` with a variant of the slug after a colon or without one: `openai/gpt-4`, `openai/gpt-4:free`. */
export const modelId = z
  .string()
  .regex(/^[^\s\p{Cc}/]+\/[^\s\p{Cc}/:]+(?::[^\s\p{Cc}/:]+)*$/u, "Expected author/slug or author/slug:variant")
  .refine((id) => codePoints(id) <= 256, { message: "Expected at most 256 characters", params: { code: "too_long" } })

/** USD as a plain decimal string: no sign, no exponent, no leading zeros. */
export const price = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})(?:\.\d{1,24})?$/, "Expected a decimal string such as 0.000002")

const count = z.int().min(0)

/** The public API's notation of an unknown price, such as that of a router. */
export const unknownPrice = "-1"

/** A price, or `"-1"`. */
const listedPrice = z
  .string()
  .regex(
    /^(?:-1|(?:0|[1-9]\d{0,14})(?:\.\d{1,24})?)$/,
    'Expected a decimal string such as 0.000002, or "-1" for unknown'
  )

const optionalPrice = orAbsent(listedPrice)

/** Prices of units that every request has: absent and `null` are unknown. */
const tokenPrice = listedPrice.nullish().transform((price) => price ?? unknownPrice)

/** Prices of optional units: absent is 0. */
const unitPrice = listedPrice.nullish().transform((price) => price ?? "0")

/** A price that applies in place of the endpoint's own while its conditions hold (Rule: models#prices). */
const PriceOverride = z.object({
  min_prompt_tokens: orAbsent(count),
  utc_start: orAbsent(z.int().min(0).max(2359)),
  utc_end: orAbsent(z.int().min(0).max(2400)),
  utc_days: orAbsent(z.array(z.enum(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]))),
  prompt: optionalPrice,
  completion: optionalPrice,
  audio: optionalPrice,
  input_audio_cache: optionalPrice,
  input_cache_read: optionalPrice,
  input_cache_write: optionalPrice,
  input_cache_write_1h: optionalPrice
})

/**
 * USD per token, request or unit. `prompt` and `completion` are unknown (`"-1"`) where they are absent; other absent prices mean no
 * separate charge: cached and audio tokens cost `prompt`, reasoning costs `completion`, requests and images cost nothing. `image` is for
 * an image in the prompt, `image_token` for a token of it, `image_output` for a token of a generated image.
 */
export const Pricing = z.object({
  prompt: tokenPrice,
  completion: tokenPrice,
  request: unitPrice,
  image: unitPrice,
  audio: optionalPrice,
  audio_output: optionalPrice,
  image_output: optionalPrice,
  image_token: optionalPrice,
  input_audio_cache: optionalPrice,
  input_cache_read: optionalPrice,
  input_cache_write: optionalPrice,
  input_cache_write_1h: optionalPrice,
  internal_reasoning: optionalPrice,
  web_search: optionalPrice,
  discount: orAbsent(z.number()),
  overrides: orAbsent(z.array(PriceOverride).max(100))
})
export type Pricing = z.output<typeof Pricing>

const printedPrice = z.string().optional()

/** As the catalog has it; `"-1"` is unknown. */
export const PrintedPricing = z.object({
  prompt: z.string(),
  completion: z.string(),
  request: z.string(),
  image: z.string(),
  audio: printedPrice,
  audio_output: printedPrice,
  image_output: printedPrice,
  image_token: printedPrice,
  input_audio_cache: printedPrice,
  input_cache_read: printedPrice,
  input_cache_write: printedPrice,
  input_cache_write_1h: printedPrice,
  internal_reasoning: printedPrice,
  web_search: printedPrice,
  discount: z.number().optional(),
  overrides: z
    .array(
      z.object({
        min_prompt_tokens: z.int().optional(),
        utc_start: z.int().optional(),
        utc_end: z.int().optional(),
        utc_days: z.array(z.string()).optional(),
        prompt: printedPrice,
        completion: printedPrice,
        audio: printedPrice,
        input_audio_cache: printedPrice,
        input_cache_read: printedPrice,
        input_cache_write: printedPrice,
        input_cache_write_1h: printedPrice
      })
    )
    .optional()
})

const ToolChoiceSupport = z.object({
  auto: z.boolean(),
  function: z.boolean(),
  none: z.boolean(),
  required: z.boolean()
})

const modalities = z.array(text(1, 64)).max(100)

/** Input and output modalities. `modality` is derived from the two lists if it is absent: `text+image->text`. */
export const Architecture = z
  .object({
    input_modalities: modalities,
    output_modalities: modalities,
    modality: text(0, 256).nullish(),
    instruct_type: text(0, 64).nullish(),
    tokenizer: text(0, 64).nullish()
  })
  .transform(({ input_modalities, output_modalities, modality, instruct_type, tokenizer }) => ({
    input_modalities,
    output_modalities,
    modality: modality ?? `${input_modalities.join("+")}->${output_modalities.join("+")}`,
    instruct_type: instruct_type ?? null,
    tokenizer: tokenizer ?? null
  }))

const nullableCount = count.nullish().transform((value) => value ?? null)

/** An endpoint of a model as the catalog stores it. */
export const CatalogEndpoint = z
  .object({
    name: text(1, 512),
    /** Default: the model's name. */
    model_name: text(1, 512).nullish(),
    provider_name: text(1, 256),
    provider_slug: text(1, 256),
    /** What `GET /providers` tells of its provider. */
    provider_info: orAbsent(ProviderInfo),
    /** Names the endpoint in usage events. */
    tag: text(1, 256),
    context_length: count,
    max_completion_tokens: nullableCount,
    max_prompt_tokens: nullableCount,
    pricing: Pricing,
    /**
     * USD for each use of a server tool or plugin, by its type or id: `openrouter:web_fetch`, `file-parser`. Web searches have
     * `pricing.web_search`. One without a price is refused under a budget.
     */
    server_tool_prices: orAbsent(z.record(text(1, 128), price)),
    quantization: text(0, 64)
      .nullish()
      .transform((value) => value ?? null),
    status: z.int32().default(0),
    supported_parameters: z.array(text(1, 256)).max(1000).default([]),
    supports_implicit_caching: z.boolean().default(false),
    supports_tool_choice: ToolChoiceSupport.nullish(),
    data_regions: z
      .array(Region)
      .min(1)
      .max(1000)
      .overwrite((regions) => [...new Set(regions)])
      .default(["global"]),
    zero_data_retention: z.boolean().default(false),
    trains_on_data: z.boolean().default(false),
    publishes_prompts: z.boolean().default(false)
  })
  .meta({ id: "CatalogEndpoint" })
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

/** A model as the catalog keeps it, with all its endpoints. */
export const CatalogModel = z
  .object({
    id: canonicalSlug.pipe(modelId),
    name: text(1, 512),
    /** Unix time in seconds. */
    created: count,
    description: text(0, 100_000).default(""),
    architecture: Architecture,
    /** The name under which usage is recorded and ranked. Default: the id. */
    canonical_slug: canonicalSlug.pipe(modelId).nullish(),
    /** Whether the rankings show the model. */
    public: z.boolean().default(true),
    /** What lists of models show and filter by in addition. */
    listing: Listing.prefault({}),
    endpoints: manyOf(CatalogEndpoint).max(maxEndpoints)
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
  .meta({ id: "CatalogModel" })
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

export const PutCatalog = z.object({ models: manyOf(CatalogModel).superRefine(distinctIds) }).meta({ id: "PutCatalog" })
export type PutCatalog = z.output<typeof PutCatalog>

const Percentiles = z.object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() })
export type Percentiles = z.output<typeof Percentiles>

/** Figures of an endpoint from its usage events; `null` without events (Rule: models#endpoint-statistics). */
export const EndpointStatistics = z.object({
  /** Milliseconds to the first token. */
  latency_last_30m: Percentiles.nullable(),
  /** Tokens a second. */
  throughput_last_30m: Percentiles.nullable(),
  /** Percent of the requests that did not fail. */
  uptime_last_5m: z.number().nullable(),
  uptime_last_30m: z.number().nullable(),
  uptime_last_1d: z.number().nullable()
})
export type EndpointStatistics = z.output<typeof EndpointStatistics>

export const Endpoint = z
  .object({
    name: z.string(),
    model_id: z.string(),
    model_name: z.string(),
    provider_name: z.string(),
    tag: z.string(),
    context_length: z.int(),
    max_completion_tokens: z.int().nullable(),
    max_prompt_tokens: z.int().nullable(),
    pricing: PrintedPricing,
    quantization: z.string().nullable(),
    /** A decimal string; an integer for the public client (Rule: requests#wire-profiles). */
    status: z.union([z.string(), z.int()]),
    supported_parameters: z.array(z.string()),
    supports_implicit_caching: z.boolean(),
    supports_tool_choice: ToolChoiceSupport,
    ...EndpointStatistics.shape
  })
  .meta({ id: "Endpoint" })
export type Endpoint = z.output<typeof Endpoint>

export const Model = z
  .object({
    id: z.string(),
    name: z.string(),
    created: z.int(),
    description: z.string(),
    architecture: z.object({
      input_modalities: z.array(z.string()),
      output_modalities: z.array(z.string()),
      modality: z.string(),
      instruct_type: z.string().nullable(),
      tokenizer: z.string().nullable()
    }),
    endpoints: z.array(Endpoint)
  })
  .meta({ id: "Model" })
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
  params: z.object({ author: pathName, slug: pathName }),
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
  success: { schema: z.object({ data: z.array(Endpoint) }), etag: true },
  errors: [401, 403, 500],
  example: { response: { data: [printedEndpointExample] } }
})

/** A catalog may hold thousands of models. */
const maxCatalogBytes = 32 * 1_048_576

export const putCatalog = operation({
  id: "putCatalog",
  method: "PUT",
  path: "/gateway/catalog",
  tag: "Gateway",
  changes: { noun: "catalog", action: "update" },
  summary: "Write models and their endpoints",
  description:
    "Adds the models, or replaces those of the same id with their whole endpoint lists; others stay. All or nothing. The catalog belongs to the installation, not to an account: it takes a management key of the account `default` or a gateway key. With `account=own` any management key writes models of its own account, at most 1,000, which no other account sees or uses; an id or canonical slug of the installation's catalog is refused with 400 `model_taken`, and one that the operator imports later hides the account's.",
  access: "managementKey",
  gatewayKey: true,
  sharedWithout: "account",
  query: z.object({
    /** `own`: writes models of the account, not of the installation's catalog. */
    account: z.enum(["own"]).optional()
  }),
  body: json(PutCatalog, maxCatalogBytes),
  success: { schema: dataOf(z.object({ models: z.int(), endpoints: z.int() })) },
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
