/**
 * Any HTTP endpoint. It gets OTLP's JSON, with the token counts under their older names too.
 *
 * A connection test is a request without spans and with `X-Test-Connection: true`; an endpoint that refuses it as empty (400) passes.
 *
 * Source: https://openrouter.ai/docs/guides/features/broadcast/webhook
 */
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { judgeOtlp } from "../rendering/judgeOtlp.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { whole } from "../rendering/Span.ts"

export const webhook = otlpRenderer({
  type: "webhook",
  limits: { events: 100, bytes: 1_000_000 },
  encoding: jsonEncoding,
  address: ({ url }) => url,
  method: ({ method }) => method,
  credentials: () => ({}),
  attributes: ({ delivered: { event } }) => [
    whole("gen_ai.usage.prompt_tokens", event.prompt_tokens),
    whole("gen_ai.usage.completion_tokens", event.completion_tokens)
  ],
  probeHeaders: { "x-test-connection": "true" },
  judge: (status, body, request, answer) =>
    status === 400 && request.events.length === 0 ? { kind: "accepted" } : judgeOtlp(status, body, request, answer)
})
