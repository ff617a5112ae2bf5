/**
 * What a catalog may tell of a model and of a provider in addition, for lists that show it and filter by it. All of it is optional: nothing is
 * derived where the catalog is silent.
 *
 * Rule: models#catalog, models#model-lists, models#providers.
 */
import * as z from "zod"
import { httpUrl, orAbsent, text } from "./primitives.ts"
import { UsageCategory } from "./usage.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  artificial_analysis: "Indices of the benchmark Artificial Analysis.",
  agentic_index: "Score for agentic work. `null`: not known.",
  coding_index: "Score for programming. `null`: not known.",
  intelligence_index: "Score for general intelligence. `null`: not known.",
  design_arena: "Ratings of the benchmark Design Arena.",
  temperature: "Default sampling temperature.",
  top_p: "Default probability mass of nucleus sampling.",
  top_k: "Default number of most likely tokens to sample from.",
  frequency_penalty: "Default penalty for tokens by how often they occurred.",
  presence_penalty: "Default penalty for tokens that occurred.",
  repetition_penalty: "Default penalty for repetition of the prompt's and the completion's tokens."
} as const

const index = z
  .number()
  .min(0)
  .max(1_000_000)
  .nullish()
  .transform((value) => value ?? null)

const ArenaScore = z.object({
  arena: text(1, 256).describe("Name of the arena at Design Arena."),
  category: text(1, 256).describe("Category within the arena."),
  elo: z.number().describe("Elo rating of the model. Higher is better."),
  rank: z.int().min(0).describe("Position of the model in the category."),
  win_rate: z.number().describe("Share of the comparisons that the model won.")
})

/** Scores of public benchmarks. */
export const Benchmarks = z.object({
  artificial_analysis: orAbsent(
    z.object({
      agentic_index: index.describe(about.agentic_index),
      coding_index: index.describe(about.coding_index),
      intelligence_index: index.describe(about.intelligence_index)
    })
  ).describe(about.artificial_analysis),
  design_arena: z.array(ArenaScore).max(1_000).default([]).describe(about.design_arena)
})

const printedIndex = z.number().nullable()

/** As responses have them. */
export const PrintedBenchmarks = z.object({
  artificial_analysis: z
    .object({
      agentic_index: printedIndex.describe(about.agentic_index),
      coding_index: printedIndex.describe(about.coding_index),
      intelligence_index: printedIndex.describe(about.intelligence_index)
    })
    .optional()
    .describe(about.artificial_analysis),
  design_arena: z.array(ArenaScore).describe(about.design_arena)
})

const setting = orAbsent(z.number())

/** Sampling settings of a request that names none. */
export const DefaultParameters = z.object({
  temperature: setting.describe(about.temperature),
  top_p: setting.describe(about.top_p),
  top_k: orAbsent(z.int()).describe(about.top_k),
  frequency_penalty: setting.describe(about.frequency_penalty),
  presence_penalty: setting.describe(about.presence_penalty),
  repetition_penalty: setting.describe(about.repetition_penalty)
})

const printedSetting = z.number().optional()

/** As responses have them. */
export const PrintedDefaultParameters = z.object({
  temperature: printedSetting.describe(about.temperature),
  top_p: printedSetting.describe(about.top_p),
  top_k: z.int().optional().describe(about.top_k),
  frequency_penalty: printedSetting.describe(about.frequency_penalty),
  presence_penalty: printedSetting.describe(about.presence_penalty),
  repetition_penalty: printedSetting.describe(about.repetition_penalty)
})

/** `2025-10-31`, or a month or year of it. */
const date = z.string().regex(/^\d{4}(?:-\d{2}(?:-\d{2})?)?$/, "Expected YYYY-MM-DD")

export const Listing = z
  .object({
    categories: orAbsent(z.array(UsageCategory).max(100)).describe("Use cases that the model is listed under."),
    distillable: orAbsent(z.boolean()).describe("Whether the author of the model allows training on its output."),
    tool_success_rate: orAbsent(z.number().min(0).max(1)).describe(
      "Share of requests with tools that ended in a tool call, 0 to 1."
    ),
    benchmarks: orAbsent(Benchmarks).describe("Scores of public benchmarks."),
    hugging_face_id: orAbsent(text(1, 256)).describe("Id of the model at Hugging Face."),
    knowledge_cutoff: orAbsent(date).describe("Date of the latest training data: `2025-10-31`, or its month or year."),
    expiration_date: orAbsent(date).describe(
      "Date on which the model is withdrawn: `2025-10-31`, or its month or year."
    ),
    supported_voices: orAbsent(z.array(text(1, 128)).max(1_000)).describe("Voices that a speech model offers."),
    default_parameters: orAbsent(DefaultParameters).describe("Sampling settings that apply if a request names none.")
  })
  .meta({
    id: "Listing",
    description: "Facts about a model that lists show and filter by. Absent facts are not known."
  })
export type Listing = z.output<typeof Listing>

const address = orAbsent(httpUrl)

/** ISO 3166-1 alpha-2. */
const country = z.string().regex(/^[A-Z]{2}$/, "Expected two capital letters of ISO 3166-1")

export const ProviderInfo = z
  .object({
    privacy_policy_url: address.describe("URL of the provider's privacy policy."),
    terms_of_service_url: address.describe("URL of the provider's terms of service."),
    status_page_url: address.describe("URL of the provider's status page."),
    headquarters: orAbsent(country).describe("Country of the provider's headquarters, by ISO 3166-1 alpha-2."),
    datacenters: orAbsent(z.array(country).max(250)).describe(
      "Countries of the provider's data centres, by ISO 3166-1 alpha-2."
    )
  })
  .meta({ id: "ProviderInfo", description: "Facts about a provider. Absent facts are not known." })
export type ProviderInfo = z.output<typeof ProviderInfo>
