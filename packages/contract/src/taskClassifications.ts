/**
 * Which tasks requests are for, as shares.
 *
 * Rule: datasets#task-classifications.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { dataOf, day } from "./primitives.ts"

/** From 0 to 1. */
const share = z.number()

const MacroCategoryKey = z.enum(["code", "data", "agent", "general"])
export type MacroCategoryKey = z.output<typeof MacroCategoryKey>

export const TaskModel = z
  .object({
    /** Canonical slug with variant. */
    id: z.string(),
    /** Of the requests of the task. */
    tag_usage_share: share,
    /** Of the tokens of the task. */
    tag_token_share: share
  })
  .meta({ id: "TaskModel" })
export type TaskModel = z.output<typeof TaskModel>

export const TaskClassification = z
  .object({
    tag: z.string(),
    display_name: z.string(),
    macro_category: MacroCategoryKey,
    /** Of the requests of all tasks. */
    usage_share: share,
    /** Of the tokens of all tasks. */
    token_share: share,
    /** Of the requests of its macro-category. */
    category_usage_share: share,
    /** Of the tokens of its macro-category. */
    category_token_share: share,
    /** At most ten, public, those with the most requests first. */
    models: z.array(TaskModel)
  })
  .meta({ id: "TaskClassification" })
export type TaskClassification = z.output<typeof TaskClassification>

export const TaskMacroCategory = z
  .object({ key: MacroCategoryKey, label: z.string(), usage_share: share, token_share: share })
  .meta({ id: "TaskMacroCategory" })
export type TaskMacroCategory = z.output<typeof TaskMacroCategory>

export const TaskClassifications = z
  .object({
    /** Yesterday in UTC, the last day of the window. */
    as_of: day,
    window_days: z.int(),
    /** The largest share of requests first. */
    classifications: z.array(TaskClassification),
    macro_categories: z.array(TaskMacroCategory)
  })
  .meta({ id: "TaskClassifications" })
export type TaskClassifications = z.output<typeof TaskClassifications>

export const TaskClassificationsQuery = z.object({ window: z.enum(["7d"]).default("7d") })

export const getTaskClassifications = operation({
  id: "getTaskClassifications",
  method: "GET",
  path: "/classifications/task",
  tag: "Datasets",
  changes: "nothing",
  summary: "Shares of tasks",
  description:
    "The share of each task in the requests and tokens of the seven whole days before today (UTC), estimated from the requests that were classified. Requests without a task are left out. Volumes are not shown. Cite the service with the as-of date.",
  access: "anyKey",
  workspaceOf: "none",
  query: TaskClassificationsQuery,
  success: { schema: dataOf(TaskClassifications), etag: true },
  errors: [400, 401, 403, 429, 500],
  rateLimits: ["datasets"],
  example: {
    query: { window: "7d" },
    response: {
      data: {
        as_of: "2026-03-02",
        window_days: 7,
        classifications: [
          {
            tag: "code:general_impl",
            display_name: "General impl",
            macro_category: "code",
            usage_share: 1,
            token_share: 1,
            category_usage_share: 1,
            category_token_share: 1,
            models: [{ id: "acme/sonnet-2026-01-01", tag_usage_share: 0.75, tag_token_share: 0.9 }]
          }
        ],
        macro_categories: [
          { key: "code", label: "Code", usage_share: 1, token_share: 1 },
          { key: "data", label: "Data", usage_share: 0, token_share: 0 },
          { key: "agent", label: "Agent", usage_share: 0, token_share: 0 },
          { key: "general", label: "General", usage_share: 0, token_share: 0 }
        ]
      }
    }
  }
})
