/**
 * What a session costs, by app and model.
 *
 * Rule: datasets#session-cost.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { day, entriesOf, pageLimit, pageOffset, queryInteger, text, timestamp } from "./primitives.ts"

export const TurnRange = z.enum(["1-turn", "2-9-turns", "10-49-turns", "50-plus-turns"])
export type TurnRange = z.output<typeof TurnRange>

export const SessionCost = z
  .object({
    app_slug: z.string().describe("Host of the app."),
    app_name: z.string().describe("Name of the app in its latest event that has one, otherwise its host."),
    model_permaslug: z.string().describe("Canonical slug of the model, with its variant."),
    turn_range: TurnRange.describe("Number of requests in a session."),
    median_session_cost_usd: z.number().describe("Median cost of a session in USD.")
  })
  .meta({ id: "SessionCost", description: "Cost of the sessions of one app, model and range of turns." })
export type SessionCost = z.output<typeof SessionCost>

export const SessionCosts = z
  .object({
    data: entriesOf(SessionCost),
    meta: z
      .object({
        as_of: timestamp.describe("Time of the last change of the data that was counted."),
        version: z.literal("v1").describe("Version of the format."),
        window_days: z.int().nullable().describe("Length of the window in days. `null`: no sessions are published."),
        window_end_date: day.nullable().describe("Last day of the window, in UTC. `null`: no sessions are published.")
      })
      .describe("Facts about the dataset.")
  })
  .meta({ id: "SessionCosts", description: "A page of the dataset of session costs." })
export type SessionCosts = z.output<typeof SessionCosts>

export const SessionCostQuery = z.object({
  app_slug: text(1, 256).optional().describe("Host of an app. Only its sessions are listed."),
  model: text(1, 256).optional().describe("Canonical slug of a model, with its variant. Only its sessions are listed."),
  turn_range: TurnRange.optional().describe("Only sessions with so many requests."),
  limit: queryInteger({ min: 1, max: 500, default: 100 }).describe(pageLimit),
  offset: queryInteger({ min: 0, max: 5_000, default: 0, emptyIsDefault: true }).describe(pageOffset)
})
export type SessionCostQuery = z.output<typeof SessionCostQuery>

export const getSessionCost = operation({
  id: "getSessionCost",
  method: "GET",
  path: "/datasets/session-cost",
  tag: "Datasets",
  changes: "nothing",
  summary: "Cost of sessions by app and model",
  description:
    "The median cost of the sessions of the last whole week (Monday to Sunday, UTC), by public app, public model and number of requests. Sessions of different apps or models are never pooled, and fewer than five sessions are not shown. Where they are of several accounts, each account counts once, and fewer than five accounts are not shown. Ordered by app, model and number of requests. Licensed CC BY 4.0.",
  access: "anyKey",
  workspaceOf: "none",
  query: SessionCostQuery,
  success: { schema: SessionCosts, etag: true },
  errors: [400, 401, 403, 429, 500],
  rateLimits: ["datasets"],
  example: {
    query: { model: "acme/sonnet-2026-01-01" },
    response: {
      data: [
        {
          app_slug: "code.example.com",
          app_name: "Acme Code",
          model_permaslug: "acme/sonnet-2026-01-01",
          turn_range: "2-9-turns",
          median_session_cost_usd: 0.0123
        }
      ],
      meta: { as_of: "2026-03-02T00:00:03.120Z", version: "v1", window_days: 7, window_end_date: "2026-03-01" }
    }
  }
})
