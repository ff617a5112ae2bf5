/**
 * The daily rankings dataset.
 *
 * Rule: rankings#rows, rankings#dates.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { day, timestamp } from "./primitives.ts"
import { LanguageType, UsageCategory } from "./usage.ts"

export const RankingsPeriod = z.enum(["day", "week", "month"])
export type RankingsPeriod = z.output<typeof RankingsPeriod>

/** `text` and `image_output` are of the output, `image` and `audio` of the input; `tool_calling` has called a tool. */
export const RankingsModality = z.enum(["text", "image", "image_output", "audio", "tool_calling"])
export type RankingsModality = z.output<typeof RankingsModality>

/** Classes of requests by prompt tokens: `1K` up to 1,000, each next one ten times as many, `10M` above 1,000,000. */
export const RankingsContextBucket = z.enum(["1K", "10K", "100K", "1M", "10M"])

export const RankingRow = z
  .object({
    date: day.describe("First day of the bucket, in UTC."),
    model_permaslug: z
      .string()
      .describe("Canonical slug of the model with its variant. `other`: the sum of the models below the first fifty."),
    total_tokens: z.string().describe("Prompt and completion tokens, as a decimal integer of any size.")
  })
  .meta({ id: "RankingRow", description: "Tokens of a model in a bucket." })
export type RankingRow = z.output<typeof RankingRow>

export const RankingsDaily = z
  .object({
    data: z.array(RankingRow).describe("Rows by date, then by tokens descending, `other` last."),
    meta: z
      .object({
        as_of: timestamp.describe("Time of the last change of the data that was counted."),
        start_date: day.describe("First day of the range that applied, in UTC."),
        end_date: day.describe("Last day of the range that applied, in UTC."),
        version: z.literal("v1").describe("Version of the format.")
      })
      .describe("Facts about the dataset.")
  })
  .meta({ id: "RankingsDaily", description: "Ranking of the public models by tokens." })
export type RankingsDaily = z.output<typeof RankingsDaily>

/** Filters of the sampled datasets. Such a filter cannot be combined with any other one. */
const sampledFilters = ["category", "language_type"] as const

export const RankingsQuery = z
  .object({
    start_date: day.optional().describe("First day of the range, in UTC. Default: 30 days before `end_date`."),
    end_date: day.optional().describe("Last day of the range, in UTC. Default: yesterday."),
    period: RankingsPeriod.optional().describe(
      "Length of a bucket. Default: `day`, or `week` with `category` or `language_type`."
    ),
    modality: RankingsModality.optional().describe(
      "Only requests with this modality. `text` and `image_output` are outputs, `image` and `audio` inputs, `tool_calling` made a tool call."
    ),
    context_bucket: RankingsContextBucket.optional().describe(
      "Only requests with so many prompt tokens: `1K` up to 1,000, `10K` up to 10,000, and so on, `10M` above 1,000,000."
    ),
    category: UsageCategory.optional().describe(
      "Only requests with this use case, including its subcategories. An estimate from sampled requests."
    ),
    language_type: LanguageType.optional().describe(
      "Only requests with this type of language. An estimate from sampled requests."
    )
  })
  .superRefine((query, context) => {
    const given = (["category", "language_type", "modality", "context_bucket"] as const).filter(
      (filter) => query[filter] !== undefined
    )
    for (const filter of sampledFilters)
      if (given.length > 1 && given.includes(filter))
        context.addIssue({
          code: "custom",
          path: [filter],
          params: { code: "filter_combination", reason: "filter_combination" },
          message: `Cannot be combined with ${given.filter((other) => other !== filter).join(" and ")}`
        })
  })
export type RankingsQuery = z.output<typeof RankingsQuery>

export const getRankingsDaily = operation({
  id: "getRankingsDaily",
  method: "GET",
  path: "/datasets/rankings-daily",
  tag: "Datasets",
  changes: "nothing",
  summary: "Daily token rankings of public models",
  description:
    "The fifty public models with the most tokens of each day, week or month, and one row `other` for the rest. Tokens are counted by each provider's own tokenizer and do not compare across providers. With `category` or `language_type` totals are estimates from sampled requests, by ISO week. Licensed CC BY 4.0; cite the service with the as-of date.",
  access: "anyKey",
  workspaceOf: "none",
  query: RankingsQuery,
  success: { schema: RankingsDaily, etag: true },
  errors: [400, 401, 403, 429, 500],
  rateLimits: ["datasets"],
  example: {
    query: { start_date: "2026-03-01", end_date: "2026-03-02" },
    response: {
      data: [
        { date: "2026-03-01", model_permaslug: "acme/sonnet-2026-01-01", total_tokens: "123456789012345678" },
        { date: "2026-03-01", model_permaslug: "acme/sonnet-2026-01-01:free", total_tokens: "9876543210" },
        { date: "2026-03-02", model_permaslug: "acme/sonnet-2026-01-01", total_tokens: "122000000000000001" },
        { date: "2026-03-02", model_permaslug: "other", total_tokens: "42" }
      ],
      meta: {
        as_of: "2026-03-03T00:04:11.302Z",
        start_date: "2026-03-01",
        end_date: "2026-03-02",
        version: "v1"
      }
    }
  }
})
