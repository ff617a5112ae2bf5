/**
 * The apps with the most tokens.
 *
 * Rule: datasets#apps, datasets#app-rankings.
 */
import * as z from "zod"
import { appCategories, AppCategory, AppSubcategory } from "./appCategory.ts"
import { operation } from "./operation.ts"
import { day, pageLimit, pageOffset, queryInteger, timestamp } from "./primitives.ts"

export const AppRankingsSort = z.enum(["popular", "trending"])
export type AppRankingsSort = z.output<typeof AppRankingsSort>

export const RankedApp = z
  .object({
    app_id: z.int().describe("Number of the app among the apps of the operator's account. It never changes."),
    app_name: z.string().describe("Name of the app in its latest event that has one, otherwise its host."),
    rank: z.int().describe("Position in the whole ranking, from 1, whatever the page."),
    total_requests: z.int().describe("Number of requests in the window."),
    total_tokens: z.string().describe("Prompt and completion tokens in the window, as a decimal integer of any size.")
  })
  .meta({ id: "RankedApp", description: "An app with its rank and its usage in the window." })
export type RankedApp = z.output<typeof RankedApp>

export const AppRankings = z
  .object({
    data: z.array(RankedApp).describe("Ranked apps, the highest rank first."),
    meta: z
      .object({
        as_of: timestamp.describe("Time of the last change of the data that was counted."),
        start_date: day.describe("First day of the window that applied, in UTC."),
        end_date: day.describe("Last day of the window that applied, in UTC."),
        version: z.literal("v1").describe("Version of the format.")
      })
      .describe("Facts about the dataset.")
  })
  .meta({ id: "AppRankings", description: "A page of the ranking of public apps." })
export type AppRankings = z.output<typeof AppRankings>

export const AppRankingsQuery = z
  .object({
    category: AppCategory.optional().describe("Only apps that named a category of this group in the window."),
    subcategory: AppSubcategory.optional().describe(
      "Only apps that named this category in the window. With `category`, it must belong to that group."
    ),
    sort: AppRankingsSort.default("popular").describe(
      "`popular`: by tokens. `trending`: by the tokens above the average of the three windows before."
    ),
    start_date: day.optional().describe("First day of the window, in UTC. Default: 30 days before `end_date`."),
    end_date: day.optional().describe("Last day of the window, in UTC. Default: yesterday."),
    limit: queryInteger({ min: 1, max: 100, default: 50 }).describe(pageLimit),
    offset: queryInteger({ min: 0, max: 100, default: 0, emptyIsDefault: true }).describe(pageOffset)
  })
  .superRefine(({ category, subcategory }, context) => {
    if (category === undefined || subcategory === undefined) return
    const ofGroup: readonly string[] = appCategories[category]
    if (!ofGroup.includes(subcategory))
      context.addIssue({
        code: "custom",
        path: ["subcategory"],
        params: { code: "filter_combination", reason: "filter_combination" },
        message: `Expected one of ${category}: ${ofGroup.join(", ")}`
      })
  })
export type AppRankingsQuery = z.output<typeof AppRankingsQuery>

export const getAppRankings = operation({
  id: "getAppRankings",
  method: "GET",
  path: "/datasets/app-rankings",
  tag: "Datasets",
  changes: "nothing",
  summary: "Apps by tokens",
  description:
    "The public apps with the most tokens in a window of days, or with `sort=trending` those that grew most: the tokens of the window less the average of the three windows of equal length before it, where that is above 0. `category` and `subcategory` select apps that named such a category. Licensed CC BY 4.0; cite the service with the as-of date.",
  access: "anyKey",
  workspaceOf: "none",
  query: AppRankingsQuery,
  success: { schema: AppRankings, etag: true },
  errors: [400, 401, 403, 429, 500],
  rateLimits: ["datasets"],
  example: {
    query: { start_date: "2026-03-01", end_date: "2026-03-02", category: "coding" },
    response: {
      data: [
        { app_id: 3, app_name: "Acme Code", rank: 1, total_requests: 1204, total_tokens: "123456789012345678" },
        { app_id: 1, app_name: "cli.example.com", rank: 2, total_requests: 77, total_tokens: "9876543210" }
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
