/**
 * Alerts: what a workspace was told of, and what became of it on each channel.
 *
 * Rule: alerts#list-of-alerts, alerts#attempts.
 */
import * as z from "zod"
import { AlertKinds } from "./alertChannel.ts"
import { operation } from "./operation.ts"
import { createdAt, listOf, ofWorkspace, page, timestamp, uuid } from "./primitives.ts"

export const AlertDelivery = z
  .object({
    channel_id: uuid.describe("Id of the alert channel."),
    status: z
      .enum(["waiting", "delivered", "quiet", "failed"])
      .describe(
        "State of the delivery. `quiet`: not sent, because the channel sent an alert on the same subject within its quiet time. `failed`: refused, or given up after 24 hours."
      ),
    attempts: z.int().describe("Number of attempts to deliver the alert on this channel so far."),
    next_attempt_at: timestamp.nullable().describe("Time of the next attempt. `null`: no further attempt follows."),
    last_attempt_at: timestamp.nullable().describe("Time of the last attempt. `null`: none was made."),
    last_status: z
      .int()
      .nullable()
      .describe("Last status of the receiver, of HTTP or of SMTP. `null`: it did not answer."),
    last_message: z
      .string()
      .nullable()
      .describe("Why the last attempt failed, or did not reach all addresses. `null`: it succeeded, or there was none.")
  })
  .meta({ id: "AlertDelivery", description: "Delivery of an alert on one channel." })
export type AlertDelivery = z.output<typeof AlertDelivery>

export const Alert = z
  .object({
    id: uuid.describe("Id of the alert, and `webhook-id` of each request that reports it."),
    workspace_id: uuid.describe("Id of the workspace that the alert is about."),
    workspace_name: z.string().nullable().describe("Present name of the workspace. `null`: it was deleted."),
    type: AlertKinds.describe("Kind of event that the alert reports."),
    subject: z.string().describe("Subject of the alert: a budget, the hash of a key or the id of a destination."),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        "Details of the event. The fields depend on `type`. Those of a budget have `entity_name` and `guardrail_name`: the present names of its key or workspace and of its guardrail, `null` where there is none to show."
      ),
    created_at: createdAt,
    deliveries: z.array(AlertDelivery).describe("State of the delivery on each channel that receives the alert.")
  })
  .meta({ id: "Alert", description: "An event that the channels of a workspace are told of." })
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
  query: z.object({ ...page, workspace_id: ofWorkspace }),
  success: { schema: listOf(Alert) },
  errors: [400, 401, 403, 500],
  example: {
    response: {
      data: [
        {
          id: "7b0f5a44-1c9e-4d5a-9b1b-5f3c2f1f8e60",
          workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
          workspace_name: "Production",
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
            held_usd: null,
            entity_name: "Production",
            guardrail_name: null
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
