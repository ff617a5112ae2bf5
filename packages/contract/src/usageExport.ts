/**
 * Recorded usage events in the form in which they can be recorded again, a page at a time.
 *
 * Rule: usage#export.
 */
import * as z from "zod"
import { externalUserLength } from "./externalUser.ts"
import { operation } from "./operation.ts"
import { csvSafe, queryInstant, queryInteger, text, uuid } from "./primitives.ts"
import { UsageStatus } from "./usage.ts"

export const UsageExportFormat = z.enum(["ndjson", "csv"])
export type UsageExportFormat = z.output<typeof UsageExportFormat>

/** The type of an answer in each format. */
export const usageExportTypes = {
  ndjson: "application/x-ndjson",
  csv: "text/csv"
} as const satisfies Record<UsageExportFormat, string>

/** Events of the longest page. */
export const maxExportedEvents = 10_000

/** A recorded text, compared as it is. */
const recorded = text(0, 256).optional()

/** Which recorded events; those that every field fits. */
export const usageEventFilter = z.object({
  start: queryInstant.optional().describe("Only events whose `created_at` is not before this time."),
  end: queryInstant
    .optional()
    .describe("Only events before this time. Default: five minutes after the time of the first page."),
  workspace_id: uuid.optional().describe("Id of a workspace. Only its events."),
  api_key_hash: recorded.describe("Hash of an API key. Only its events."),
  user_id: recorded.describe("Id of a user. Only the user's events."),
  external_user: text(0, externalUserLength)
    .optional()
    .describe("Your name for an end user. Only the events of this user."),
  model: text(1, 256)
    .optional()
    .describe("Canonical slug of a model. Only its events. Without a variant, every variant counts."),
  provider: recorded.describe("Slug of a provider. Only events of this provider."),
  endpoint_tag: recorded.describe("Tag of an endpoint in the catalog. Only events of this endpoint."),
  guardrail_id: uuid.optional().describe("Id of a guardrail. Only events that this guardrail refused."),
  app: recorded.describe("Name of an app. Only events of this app."),
  session_id: recorded.describe("Id of a session. Only events of this session."),
  status: UsageStatus.optional().describe("Only events with this result."),
  classifier: text(1, 256).optional().describe("Only events with a tag of this classifier."),
  dimension: text(1, 256).optional().describe("Only events with a tag of this dimension of `classifier`."),
  value: recorded.describe("Only events whose tag of `dimension` is this text.")
})
export type UsageEventFilter = z.output<typeof usageEventFilter>

export const exportUsageEvents = operation({
  id: "exportUsageEvents",
  method: "GET",
  path: "/gateway/usage-events",
  tag: "Gateway",
  changes: "nothing",
  summary: "Export usage events",
  description:
    "The account's events in the order of `created_at`, then `id`, as NDJSON or CSV: by `format`, otherwise by `Accept`, otherwise NDJSON. Each has the fields with which it can be recorded again; absent fields are left out, and amounts are exact decimal texts. If there are more, the header `x-next-cursor` has the cursor of the next page and `Link` its address; without them the page is the last one. A page ends at `limit` events, or before that when 50,000 events were examined. The pages together have each event once that was recorded before the first page was requested. In CSV a text that a spreadsheet would run as a formula has `'` before it, unless `csv_safe` is `false`.",
  access: "managementKey",
  workspaceOf: "reached",
  query: usageEventFilter.extend({
    format: UsageExportFormat.optional().describe(
      "Format of the answer. Default: `csv` if `Accept` prefers `text/csv`, otherwise `ndjson`."
    ),
    csv_safe: csvSafe,
    limit: queryInteger({ min: 1, max: maxExportedEvents, default: 1000 }).describe(
      "Maximum number of events on the page."
    ),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,1024}$/, "Expected `x-next-cursor` of an answer")
      .optional()
      .describe("Place to continue at: `x-next-cursor` of the previous page. Keep the other parameters.")
  }),
  success: {
    schema: z.custom<ReadableStream<Uint8Array>>((value) => value instanceof ReadableStream),
    bytes: true,
    byteTypes: Object.values(usageExportTypes)
  },
  errors: [400, 401, 403, 500],
  example: { query: { start: "2026-03-01T00:00:00Z", model: "acme/sonnet", limit: "100" }, response: undefined }
})
