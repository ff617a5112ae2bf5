/**
 * Alerts: what a workspace was told of, and what became of it on each channel.
 *
 * Rule: alerts#list-of-alerts, alerts#attempts.
 */
import * as z from "zod"
import { AlertKinds } from "./alertChannel.ts"
import { operation } from "./operation.ts"
import { listOf, page, timestamp, uuid } from "./primitives.ts"

export const AlertDelivery = z
  .object({
    channel_id: uuid,
    status: z
      .enum(["waiting", "delivered", "quiet", "failed"])
      .describe(
        "`quiet`: not sent, because the channel was told of the same subject within its quiet time. `failed`: refused for good, or given up after 24 hours."
      ),
    attempts: z.int(),
    next_attempt_at: timestamp.nullable(),
    last_attempt_at: timestamp.nullable(),
    last_status: z
      .int()
      .nullable()
      .describe("What the receiver answered last, a status of HTTP or of SMTP; null without an answer."),
    last_message: z.string().nullable()
  })
  .meta({ id: "AlertDelivery" })
export type AlertDelivery = z.output<typeof AlertDelivery>

export const Alert = z
  .object({
    id: uuid.describe("Also the `webhook-id` of each request that tells of the alert."),
    workspace_id: uuid,
    type: AlertKinds,
    subject: z.string().describe("What the alert is about: a budget, the hash of a key or the id of a destination."),
    data: z.record(z.string(), z.unknown()),
    created_at: timestamp,
    deliveries: z.array(AlertDelivery)
  })
  .meta({ id: "Alert" })
export type Alert = z.output<typeof Alert>

export const listAlerts = operation({
  id: "listAlerts",
  method: "GET",
  path: "/gateway/alerts",
  tag: "Alerts",
  changes: "nothing",
  summary: "List alerts of a workspace",
  description: "The oldest first. An alert is recorded where an enabled channel of the workspace hears its type.",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({ ...page, workspace_id: uuid.optional() }),
  success: { schema: listOf(Alert) },
  errors: [400, 401, 403, 500],
  example: {
    response: {
      data: [
        {
          id: "7b0f5a44-1c9e-4d5a-9b1b-5f3c2f1f8e60",
          workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
          type: "budget.spent_95",
          subject: "workspace_budget:0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11:monthly",
          data: {
            scope: "workspace_budget",
            entity: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
            guardrail_id: null,
            interval: "monthly",
            window_start: "2026-01-01T00:00:00.000Z",
            limit_usd: "500",
            spent_usd: "476.5",
            held_usd: null
          },
          created_at: "2026-01-24T17:02:11.000Z",
          deliveries: [
            {
              channel_id: "3f1c2b7a-5d0e-4c1b-8a77-0b9d6e4f2a15",
              status: "delivered",
              attempts: 1,
              next_attempt_at: null,
              last_attempt_at: "2026-01-24T17:02:12.000Z",
              last_status: 204,
              last_message: null
            }
          ]
        }
      ],
      total_count: 1
    }
  }
})
