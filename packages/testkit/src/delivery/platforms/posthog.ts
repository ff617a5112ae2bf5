import * as z from "zod"
import { type PlatformRules, readJson, startPlatformIntake } from "./PlatformIntake.ts"

const apiKey = "phc_loopback0123456789abcdef"

const tokens = z.int().min(0)

const properties = z.looseObject({
  $ai_trace_id: z.string().regex(/^[A-Za-z0-9\-_~.@()!':|]+$/),
  $ai_span_id: z.string(),
  $ai_span_name: z.string(),
  $ai_session_id: z.string().optional(),
  // `restoreTree` shows no event below a parent that never came.
  $ai_parent_id: z.undefined().optional(),
  $ai_cache_reporting_exclusive: z.literal(false),
  $ai_model: z.string(),
  $ai_provider: z.string(),
  $ai_input_tokens: tokens,
  $ai_output_tokens: tokens,
  $ai_latency: z.number().min(0),
  $ai_total_cost_usd: z.number().min(0).optional(),
  $ai_is_error: z.boolean()
})

const event = z.strictObject({
  uuid: z.uuid(),
  event: z.enum(["$ai_generation", "$ai_embedding"]),
  distinct_id: z.string().min(1),
  timestamp: z.iso.datetime(),
  properties
})
export type PosthogEvent = z.output<typeof event>

const batch = z.strictObject({
  api_key: z.string(),
  historical_migration: z.literal(false).optional(),
  batch: z.array(z.unknown())
})

/**
 * Source: https://posthog.com/docs/api/capture, https://posthog.com/docs/llm-analytics/manual-capture, answers and sizes
 * https://github.com/PostHog/posthog/tree/master/rust/capture/src (api.rs, router.rs)
 */
const rules = (): PlatformRules<"posthog", PosthogEvent> => {
  const known = new Set<string>()
  return {
    type: "posthog",
    config: (endpoint) => ({ apiKey, endpoint }),
    receive: ({ method, path, headers, body }, fault, hold) => {
      if (method !== "POST") return fault(405, method)
      if (headers["content-type"] !== "application/json") return fault(400, "Content-Type")
      const sent = readJson(body)
      if (path === "/flags/?v=2") {
        const asked = z.strictObject({ api_key: z.literal(apiKey), distinct_id: z.string().min(1) }).safeParse(sent)
        return asked.success
          ? { status: 200, body: '{"flags":{},"errorsWhileComputingFlags":false}' }
          : fault(401, "API key is not valid", '{"type":"authentication_error"}')
      }
      if (path !== "/batch/") return fault(404, `No intake at ${path}`)
      if (body.length > 20 * 1024 * 1024) return fault(413, `${body.length} bytes`)
      const read = batch.safeParse(sent)
      if (!read.success) return fault(400, read.error.message)
      if (read.data.api_key !== apiKey) return fault(401, "API key is not valid")
      if (read.data.batch.length === 0) return fault(400, "request holds no event")
      const events = z.array(event).safeParse(read.data.batch)
      if (!events.success) return fault(400, events.error.message)
      for (const one of read.data.batch)
        if (Buffer.byteLength(JSON.stringify(JSON.stringify(one))) > 1_000_000)
          return fault(400, "maximum event size exceeded", "maximum event size exceeded")
      for (const one of events.data) {
        if (known.has(one.uuid)) continue
        known.add(one.uuid)
        hold(one)
      }
      return { status: 200, body: '{"status":"Ok"}' }
    }
  }
}

/** Empty at each start. */
export const startPosthog = () => startPlatformIntake(rules())
