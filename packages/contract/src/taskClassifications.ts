/**
 * Which tasks requests are for, as shares.
 *
 * Rule: datasets#task-classifications.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { dataOf, day } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  usage_share: "Share of the requests of all tasks, 0 to 1.",
  token_share: "Share of the tokens of all tasks, 0 to 1."
} as const

/** From 0 to 1. */
const share = z.number()

const MacroCategoryKey = z.enum(["code", "data", "agent", "general"])
export type MacroCategoryKey = z.output<typeof MacroCategoryKey>

export const TaskModel = z
  .object({
    id: z.string().describe("Canonical slug of the model, with its variant."),
    tag_usage_share: share.describe("Share of the requests of the task, 0 to 1."),
    tag_token_share: share.describe("Share of the tokens of the task, 0 to 1.")
  })
  .meta({ id: "TaskModel", description: "A model with its shares of a task." })
export type TaskModel = z.output<typeof TaskModel>

export const TaskClassification = z
  .object({
    tag: z.string().describe("Name of the task: its macro-category, a colon, and a word."),
    display_name: z.string().describe("Name of the task for people."),
    macro_category: MacroCategoryKey.describe("Group of tasks that the task belongs to."),
    usage_share: share.describe(about.usage_share),
    token_share: share.describe(about.token_share),
    category_usage_share: share.describe("Share of the requests of its macro-category, 0 to 1."),
    category_token_share: share.describe("Share of the tokens of its macro-category, 0 to 1."),
    models: z.array(TaskModel).describe("At most ten public models, those with the most requests first.")
  })
  .meta({ id: "TaskClassification", description: "A task with its shares and its models." })
export type TaskClassification = z.output<typeof TaskClassification>

export const TaskMacroCategory = z
  .object({
    key: MacroCategoryKey.describe("Name of the group of tasks."),
    label: z.string().describe("Name of the group for people."),
    usage_share: share.describe(about.usage_share),
    token_share: share.describe(about.token_share)
  })
  .meta({ id: "TaskMacroCategory", description: "A group of tasks with its shares." })
export type TaskMacroCategory = z.output<typeof TaskMacroCategory>

export const TaskClassifications = z
  .object({
    as_of: day.describe("Last day of the window, in UTC: yesterday."),
    window_days: z.int().describe("Length of the window in days."),
    classifications: z.array(TaskClassification).describe("Tasks, the largest share of requests first."),
    macro_categories: z.array(TaskMacroCategory).describe("Groups of tasks with their shares.")
  })
  .meta({ id: "TaskClassifications", description: "Shares of tasks in requests and tokens." })
export type TaskClassifications = z.output<typeof TaskClassifications>

export const TaskClassificationsQuery = z.object({
  window: z.enum(["7d"]).default("7d").describe("Length of the window: seven whole days before today.")
})

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
