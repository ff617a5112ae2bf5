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
    date: day,
    /** Canonical slug with variant; `other` is the sum of the models below the first fifty. */
    model_permaslug: z.string(),
    /** An integer of any size. */
    total_tokens: z.string()
  })
  .meta({ id: "RankingRow" })
export type RankingRow = z.output<typeof RankingRow>

export const RankingsDaily = z
  .object({
    data: z.array(RankingRow),
    meta: z.object({ as_of: timestamp, start_date: day, end_date: day, version: z.literal("v1") })
  })
  .meta({ id: "RankingsDaily" })
export type RankingsDaily = z.output<typeof RankingsDaily>

/** Filters of the sampled datasets. Such a filter cannot be combined with any other one. */
const sampledFilters = ["category", "language_type"] as const

export const RankingsQuery = z
  .object({
    start_date: day.optional(),
    end_date: day.optional(),
    period: RankingsPeriod.optional(),
    modality: RankingsModality.optional(),
    context_bucket: RankingsContextBucket.optional(),
    /** A use case; one that has subcategories includes them. */
    category: UsageCategory.optional(),
    language_type: LanguageType.optional()
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
