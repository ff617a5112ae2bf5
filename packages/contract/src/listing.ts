/**
 * What a catalog may tell of a model and of a provider in addition, for lists that show it and filter by it. All of it is optional: nothing is
 * derived where the catalog is silent.
 *
 * Rule: models#catalog, models#model-lists, models#providers.
 */
import * as z from "zod"
import { orAbsent, text } from "./primitives.ts"
import { UsageCategory } from "./usage.ts"

const index = z
  .number()
  .min(0)
  .max(1_000_000)
  .nullish()
  .transform((value) => value ?? null)

const ArenaScore = z.object({
  arena: text(1, 256),
  category: text(1, 256),
  elo: z.number(),
  rank: z.int().min(0),
  win_rate: z.number()
})

/** Scores of public benchmarks. */
export const Benchmarks = z.object({
  artificial_analysis: orAbsent(z.object({ agentic_index: index, coding_index: index, intelligence_index: index })),
  design_arena: z.array(ArenaScore).max(1_000).default([])
})

const printedIndex = z.number().nullable()

/** As responses have them. */
export const PrintedBenchmarks = z.object({
  artificial_analysis: z
    .object({ agentic_index: printedIndex, coding_index: printedIndex, intelligence_index: printedIndex })
    .optional(),
  design_arena: z.array(ArenaScore)
})

const setting = orAbsent(z.number())

/** Sampling settings of a request that names none. */
export const DefaultParameters = z.object({
  temperature: setting,
  top_p: setting,
  top_k: orAbsent(z.int()),
  frequency_penalty: setting,
  presence_penalty: setting,
  repetition_penalty: setting
})

const printedSetting = z.number().optional()

/** As responses have them. */
export const PrintedDefaultParameters = z.object({
  temperature: printedSetting,
  top_p: printedSetting,
  top_k: z.int().optional(),
  frequency_penalty: printedSetting,
  presence_penalty: printedSetting,
  repetition_penalty: printedSetting
})

/** `2025-10-31`, or a month or year of it. */
const date = z.string().regex(/^\d{4}(?:-\d{2}(?:-\d{2})?)?$/, "Expected YYYY-MM-DD")

export const Listing = z
  .object({
    /** Use cases that the model is listed under. */
    categories: orAbsent(z.array(UsageCategory).max(100)),
    /** Whether its author allows training on what it writes. */
    distillable: orAbsent(z.boolean()),
    /** The share of requests with tools that ended in a call of one, 0 to 1. */
    tool_success_rate: orAbsent(z.number().min(0).max(1)),
    benchmarks: orAbsent(Benchmarks),
    hugging_face_id: orAbsent(text(1, 256)),
    knowledge_cutoff: orAbsent(date),
    /** The day on which it is withdrawn. */
    expiration_date: orAbsent(date),
    supported_voices: orAbsent(z.array(text(1, 128)).max(1_000)),
    default_parameters: orAbsent(DefaultParameters)
  })
  .meta({ id: "Listing" })
export type Listing = z.output<typeof Listing>

const address = orAbsent(z.url({ protocol: /^https?$/ }).max(2_048))

/** ISO 3166-1 alpha-2. */
const country = z.string().regex(/^[A-Z]{2}$/, "Expected two capital letters of ISO 3166-1")

export const ProviderInfo = z
  .object({
    privacy_policy_url: address,
    terms_of_service_url: address,
    status_page_url: address,
    headquarters: orAbsent(country),
    datacenters: orAbsent(z.array(country).max(250))
  })
  .meta({ id: "ProviderInfo" })
export type ProviderInfo = z.output<typeof ProviderInfo>
