/**
 * How deliveries to a destination go: a test event, the log of attempts, dead letters, and sending these again. Gatewarden's own operations.
 *
 * The names are those that services with webhooks use: GitHub lists `deliveries` of a hook, Svix offers to `replay` what an endpoint missed.
 * Rule: observability#delivery-log, observability#dead-letters, observability#test-events.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { dataOf, distinct, instant, listOf, page, text, timestamp, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  duration_ms: "Milliseconds that the attempt took."
} as const

/** How many dead letters one request sends again. */
export const mostReplayed = 1_000

/** What these operations share: each is about one destination. */
const ofDestination = {
  own: true,
  tag: "Observability",
  access: "managementKey",
  workspaceOf: "destination",
  params: z.object({ id: uuid.describe("Id of the destination.") })
} as const
const path = "/observability/destinations/:id"
const id = "9c1e5b1a-0b3f-4a38-8f0e-2d9f6f0f6b7d"

const count = z.int().min(0)
const status = z.int().nullable().describe("HTTP status of the platform's answer. `null`: it did not answer.")
const message = z
  .string()
  .nullable()
  .describe(
    "Result of the attempt in words of Gatewarden. The platform's own text is not stored, because it may repeat prompts."
  )

export const DestinationTest = z
  .object({
    outcome: z
      .enum(["delivered", "refused", "failed"])
      .describe(
        "Result of the test. `refused`: the platform does not accept the event. `failed`: it did not answer, or may accept the event later."
      ),
    status,
    duration_ms: count.describe(about.duration_ms),
    message: z
      .string()
      .nullable()
      .describe(
        "Result of the test, and the platform's own text on the test event: at most 500 characters, without secrets."
      )
  })
  .meta({ id: "DestinationTest", description: "Result of a test event." })
export type DestinationTest = z.output<typeof DestinationTest>

export const testDestination = operation({
  id: "testDestination",
  method: "POST",
  path: `${path}/test`,
  ...ofDestination,
  changes: "usage",
  summary: "Send a test event to a destination",
  description:
    "Sends one event that names itself a test, now, also to a disabled destination, and answers what became of it. The event is not recorded as usage. At most 10 in a minute per account.",
  success: { schema: dataOf(DestinationTest) },
  errors: [400, 401, 403, 404, 429, 500],
  callsOut: true,
  rateLimits: ["destinationTests"],
  example: {
    params: { id },
    response: { data: { outcome: "failed", status: 401, duration_ms: 182, message: "The platform answered 401." } }
  }
})

export const DeliveryOutcome = z.enum(["delivered", "partly", "refused", "failed"])
export type DeliveryOutcome = z.output<typeof DeliveryOutcome>

export const Delivery = z
  .object({
    number: z.int().min(1).describe("Number of the attempt, from 1 for each destination."),
    ended_at: timestamp.describe("Time when the attempt ended, in UTC."),
    duration_ms: count.describe(about.duration_ms),
    outcome: DeliveryOutcome.describe(
      "Result of the attempt. `partly`: the platform refused some of the events. `failed`: Gatewarden tries the rest again."
    ),
    events: count.describe("Number of events in the batch."),
    accepted: count.describe("Events that the platform accepted."),
    refused: count.describe("Number of events that became dead letters because the platform refused them."),
    rejected_spans: count.describe("Number of spans that the platform dropped without naming them."),
    status,
    message
  })
  .meta({ id: "Delivery", description: "One attempt to deliver a batch of events." })
export type Delivery = z.output<typeof Delivery>

export const DeliveryStatus = z
  .object({
    state: z
      .enum(["ok", "failing", "refusing"])
      .describe(
        "State of the deliveries. `failing`: the last attempt failed and is repeated. `refusing`: the platform refused at least three events, which became dead letters, and accepted none since."
      ),
    refusing_since: timestamp
      .nullable()
      .describe("Time when the platform refused the first event since it last accepted one. `null`: it refused none."),
    circuit: z
      .enum(["closed", "open"])
      .describe("State of the circuit breaker. `open`: the destination fails, and Gatewarden tries it at intervals."),
    waiting: count
      .max(10_000)
      .describe("Number of events that wait for the destination. 10,000 stands for as many and more."),
    oldest_waiting_at: timestamp
      .nullable()
      .describe("Time when the oldest waiting event was recorded. `null`: none waits."),
    failures: count.describe("Number of attempts that failed in a row."),
    failing_since: timestamp
      .nullable()
      .describe("Time of the first failure since the last success. `null`: the last attempt succeeded."),
    next_attempt_at: timestamp.nullable().describe("Time of the next attempt. `null`: no event waits."),
    last_attempt_at: timestamp.nullable().describe("Time of the last attempt. `null`: none was made."),
    last_delivered_at: timestamp.nullable().describe("Time when the platform last accepted an event. `null`: never."),
    receives_since: timestamp
      .nullable()
      .describe(
        "Time when the destination was last enabled again, or its address got another host. Events recorded before it are not delivered. `null`: neither happened."
      ),
    delivered: count.describe("Number of events that the platform accepted since the destination exists."),
    dead: count.describe("Number of events that became dead letters since the destination exists.")
  })
  .meta({ id: "DeliveryStatus", description: "State of the deliveries to a destination." })
export type DeliveryStatus = z.output<typeof DeliveryStatus>

export const listDeliveries = operation({
  id: "listDeliveries",
  method: "GET",
  path: `${path}/deliveries`,
  ...ofDestination,
  changes: "nothing",
  summary: "List the last attempts to deliver to a destination",
  description:
    "The latest first, with what waits for the destination and how it is doing. The last 500 attempts are kept.",
  query: z.object({
    ...page,
    outcome: DeliveryOutcome.optional().describe("Only attempts with this outcome.")
  }),
  success: { schema: listOf(Delivery).extend({ status: DeliveryStatus }) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id },
    query: { limit: "10" },
    response: {
      data: [
        {
          number: 7,
          ended_at: "2026-01-05T09:31:02.480Z",
          duration_ms: 182,
          outcome: "delivered",
          events: 240,
          accepted: 240,
          refused: 0,
          rejected_spans: 0,
          status: 200,
          message: null
        }
      ],
      total_count: 1,
      status: {
        state: "ok",
        refusing_since: null,
        circuit: "closed",
        waiting: 0,
        oldest_waiting_at: null,
        failures: 0,
        failing_since: null,
        next_attempt_at: null,
        last_attempt_at: "2026-01-05T09:31:02.480Z",
        last_delivered_at: "2026-01-05T09:31:02.480Z",
        receives_since: null,
        delivered: 240,
        dead: 0
      }
    }
  }
})

export const DeadLetter = z
  .object({
    event_id: z.string().describe("Id of the usage event."),
    died_at: timestamp.describe("Time when the event became a dead letter, in UTC."),
    status,
    message: z.string().describe("Why the event was not accepted, in words of Gatewarden.")
  })
  .meta({
    id: "DeadLetter",
    description: "An event that is not delivered any more, because the platform refused it or the time was over."
  })
export type DeadLetter = z.output<typeof DeadLetter>

export const listDeadLetters = operation({
  id: "listDeadLetters",
  method: "GET",
  path: `${path}/dead-letters`,
  ...ofDestination,
  changes: "nothing",
  summary: "List events that a destination did not accept",
  description: "The latest first, without bodies.",
  query: z.object(page),
  success: { schema: listOf(DeadLetter) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id },
    query: { limit: "10" },
    response: {
      data: [
        {
          event_id: "gen-1767605340-7wQmYt4ZcX9pLbRk2NsV",
          died_at: "2026-01-05T09:31:02.480Z",
          status: 400,
          message: "The platform answered 400."
        }
      ],
      total_count: 1
    }
  }
})

export const ReplayDeadLetters = z
  .object({
    event_ids: distinct(text(1, 128), mostReplayed).optional().describe("Ids of the usage events to send again."),
    until: instant()
      .optional()
      .describe("Sends all events again that became dead letters until this time, the oldest first.")
  })
  .refine(({ event_ids, until }) => (event_ids === undefined) !== (until === undefined), {
    message: "Expected either event_ids or until",
    path: ["event_ids"],
    params: { code: "either_or" }
  })
  .meta({ id: "ReplayDeadLetters", description: "Dead letters to send again." })
export type ReplayDeadLetters = z.output<typeof ReplayDeadLetters>

export const replayDeadLetters = operation({
  id: "replayDeadLetters",
  method: "POST",
  path: `${path}/replay`,
  ...ofDestination,
  changes: { noun: "destination", action: "update" },
  summary: "Send dead letters of a destination again",
  description: `Puts at most ${mostReplayed} events at the end of what waits for the destination, and removes their dead letters. Repeating the request sends nothing twice. 409 if the destination or its workspace receives nothing at present. A restricted key needs \`prompts\` if the destination receives bodies. Each request is recorded in the audit log.`,
  body: json(ReplayDeadLetters),
  success: {
    schema: dataOf(
      z
        .object({
          replayed: count.describe("Number of events that wait for the destination again."),
          remaining: count.describe("Number of dead letters that are left.")
        })
        .describe("Counts of the dead letters.")
    ),
    long: "rewrite"
  },
  errors: [400, 401, 403, 404, 409, 500],
  example: {
    params: { id },
    body: { until: "2026-01-05T10:00:00Z" },
    response: { data: { replayed: 1, remaining: 0 } }
  }
})
