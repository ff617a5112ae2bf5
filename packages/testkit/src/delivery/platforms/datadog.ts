import * as z from "zod"
import { type PlatformRules, readJson, startPlatformIntake } from "./PlatformIntake.ts"

const config = { apiKey: "dd0loopback0123456789", mlApp: "gateway/prod" }

const io = z.strictObject({
  value: z.string().optional(),
  documents: z.array(z.strictObject({ text: z.string() })).optional(),
  messages: z.array(z.strictObject({ role: z.string().optional(), content: z.string() })).optional()
})

const meta = z.strictObject({
  kind: z.enum(["agent", "workflow", "llm", "tool", "task", "embedding", "retrieval"]),
  error: z.strictObject({ message: z.string(), stack: z.string().optional(), type: z.string() }).optional(),
  input: io.optional(),
  output: io.optional(),
  metadata: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])).optional()
})

const tags = z.array(
  z
    .string()
    .regex(/^[a-z_][^:]*:/i)
    .max(200)
)

/** Nanoseconds that are whole milliseconds: the intake reads an unsigned integer of 64 bits. */
const nanos = z.number().min(0).max(1.8e19).refine(Number.isInteger)

const span = z.strictObject({
  name: z.string().min(1),
  span_id: z.string().regex(/^[0-9a-f]{16}$/),
  trace_id: z.string().regex(/^[0-9a-f]{32}$/),
  parent_id: z.string().regex(/^(?:undefined|[0-9a-f]{16})$/),
  start_ns: nanos,
  duration: nanos,
  meta,
  status: z.enum(["ok", "error"]).optional(),
  metrics: z.record(z.string(), z.number()).optional(),
  session_id: z.string().optional(),
  tags: tags.optional()
})
export type DatadogSpan = z.output<typeof span>

const payload = z.strictObject({
  data: z.strictObject({
    type: z.literal("span"),
    attributes: z.strictObject({ ml_app: z.literal(config.mlApp), spans: z.array(span), tags: tags.optional() })
  })
})

/**
 * Source: https://docs.datadoghq.com/llm_observability/instrumentation/api/, and for sizes
 * dd-trace 6.21.0, `packages/dd-trace/src/llmobs/constants/writers.js`
 */
const rules = (): PlatformRules<"datadog", DatadogSpan> => {
  const known = new Set<string>()
  return {
    type: "datadog",
    config: (url) => ({ ...config, url }),
    receive: ({ method, path, headers, body }, fault, hold) => {
      if (path !== "/api/intake/llm-obs/v1/trace/spans") return fault(404, `No intake at ${path}`)
      if (method !== "POST") return fault(405, method)
      if (headers["dd-api-key"] !== config.apiKey) return fault(403, "Forbidden")
      if (headers["content-type"] !== "application/json") return fault(415, "Content-Type")
      if (body.length > 5_242_880) return fault(413, `${body.length} bytes`)
      const read = payload.safeParse(readJson(body))
      if (!read.success) return fault(400, read.error.message)
      const { spans } = read.data.data.attributes
      if (spans.length === 0) return fault(400, "No spans")
      const largest = Math.max(...spans.map((one) => Buffer.byteLength(JSON.stringify(one))))
      if (largest > 5_242_880) return fault(400, `A span of ${largest} bytes`)
      for (const one of spans) {
        if (known.has(one.span_id)) continue
        known.add(one.span_id)
        hold(one)
      }
      return { status: 202 }
    }
  }
}

/** Empty at each start. */
export const startDatadog = () => startPlatformIntake(rules())
