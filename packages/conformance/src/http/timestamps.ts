/** Every timestamp of a request: any offset is taken, and what names no instant is 400. Rule: requests#timestamps. */
import {
  createAuthorizationCode,
  type OperationId,
  putCatalog,
  queryAnalytics,
  recordUsageEvents,
  settleAdmission
} from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { newUnreachable } from "../delivery/letDie.ts"
import { type Answer, type Call, metadataOf, type World } from "../World.ts"
import type { Case } from "./Case.ts"

interface TimestampPlace {
  readonly operation: OperationId
  /** The path of its issue. */
  readonly path: string
  readonly call: (world: World, text: string) => Promise<Call> | Call
  /** What shows that `instant` was read, if the answer tells. */
  readonly check?: (answer: Answer, world: World) => void | Promise<void>
}

/** Texts of one instant, 11:30 UTC before the beginning or 12:30 UTC after it. */
const past = { text: "2026-03-04T13:30:00.25+02:00", utc: "2026-03-04T11:30:00.250Z" }
const future = { text: "2026-03-04T10:30:00.25-02:00", utc: "2026-03-04T12:30:00.250Z" }

const keyExpires = ({ json }: Answer): void => assert.strictEqual(json.data.expires_at, future.utc)

/** An admission to settle. */
const admitted = async (world: World): Promise<{ readonly id: string }> => {
  await world.call("putCatalog", { query: { account: "own" }, body: putCatalog.example.body })
  const { json } = await world.call("createAdmission", {
    body: { api_key_hash: world.normalKeyHash, model: "acme/sonnet" }
  })
  return { id: json.data.id }
}

const event = recordUsageEvents.example.body.events[0]

const recordedAtPast = async (_: Answer, world: World): Promise<void> => {
  const { json } = await world.call("getGeneration", { query: { id: event.id } })
  assert.strictEqual(json.data.created_at, past.utc)
}

const query = (operation: OperationId, name: string): TimestampPlace => ({
  operation,
  path: `query.${name}`,
  // A `+` that is not encoded arrives as a space.
  call: (_, text) => ({ query: `${name}=${text}` })
})

const march = { start: "2026-03-01T00:00:00Z", end: "2026-03-05T00:00:00Z" }

const ranges = (operation: OperationId, field: string, body: object): readonly TimestampPlace[] =>
  ["start", "end"].map((side) => ({
    operation,
    path: `${field}.${side}`,
    call: (_, text) => ({ body: { ...body, [field]: { ...march, [side]: text } } })
  }))

export const timestampPlaces: readonly TimestampPlace[] = [
  query("getAuditLog", "from"),
  query("getAuditLog", "to"),
  query("exportUsageEvents", "start"),
  query("exportUsageEvents", "end"),
  ...ranges("queryAnalytics", "time_range", queryAnalytics.example.body),
  ...ranges("createExplanation", "replay", {}),
  {
    operation: "createKey",
    path: "expires_at",
    call: (_, expires_at) => ({ body: { name: "k", expires_at } }),
    check: keyExpires
  },
  {
    operation: "createManagementKey",
    path: "expires_at",
    call: (_, expires_at) => ({ body: { name: "k", expires_at } }),
    check: keyExpires
  },
  {
    operation: "createAuthorizationCode",
    path: "expires_at",
    call: (_, expires_at) => ({ body: { ...createAuthorizationCode.example.body, expires_at } })
  },
  {
    operation: "recordUsageEvents",
    path: "events.0.created_at",
    call: (_, created_at) => ({ body: { events: [{ ...event, created_at }] } }),
    check: recordedAtPast
  },
  {
    operation: "recordUsageEvents",
    path: "lines.0.created_at",
    call: (_, created_at) => ({
      body: JSON.stringify({ ...event, created_at }),
      headers: { "content-type": "application/x-ndjson" }
    }),
    check: recordedAtPast
  },
  {
    operation: "settleAdmission",
    path: "created_at",
    call: async (world, created_at) => ({
      params: await admitted(world),
      body: { ...settleAdmission.example.body, created_at }
    })
  },
  {
    operation: "settleAdmission",
    path: "event.created_at",
    call: async (world, created_at) => ({
      params: await admitted(world),
      body: { event: { ...settleAdmission.example.body, created_at } }
    })
  },
  {
    operation: "replayDeadLetters",
    path: "until",
    call: async (world, until) => ({ params: { id: await newUnreachable(world) }, body: { until } })
  }
]

/** Instants that there are not, or that no store can keep. */
const refused = ["2026-02-30T00:00:00Z", "2026-03-04T00:00:00+24:00", "9999-12-31T23:59:59-00:01", "2026-03-04"]

export const timestamps: readonly Case[] = timestampPlaces.flatMap(
  ({ operation, path, call, check }): readonly Case[] => {
    const { text } = path === "expires_at" ? future : past
    return [
      {
        name: `timestamps: an offset in ${path} of ${operation}`,
        status: 200,
        run: async (world) => world.call(operation, await call(world, text)),
        ...(check === undefined ? {} : { check })
      },
      {
        name: `timestamps: no instant in ${path} of ${operation}`,
        status: 400,
        run: async (world) => {
          let last: Answer | undefined
          for (const wrong of refused) {
            last = await world.call(operation, await call(world, wrong))
            assert.deepInclude(metadataOf(last).issues[0], { path, code: "invalid_timestamp" }, wrong)
          }
          return last ?? assert.fail("nothing was sent")
        }
      },
      {
        name: `timestamps: the first year in ${path} of ${operation}`,
        status: path === "expires_at" || /^(?:time_range|replay)\.end$/.test(path) ? 400 : 200,
        run: async (world) => world.call(operation, await call(world, "0000-01-01T00:00:00Z"))
      }
    ]
  }
)
