import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const apiKey = "rmp_loopback"

/** Source: https://openrouter.ai/docs/guides/features/broadcast/ramp; Ramp publishes no reference of the intake. */
const rules: OtlpPlatformRules<"ramp"> = {
  type: "ramp",
  config: (origin) => ({ apiKey, baseUrl: `${origin}/developer/v1/ai-usage/openrouter` }),
  path: "/developer/v1/ai-usage/openrouter",
  contentTypes: ["application/json"],
  unauthorized: (headers) =>
    headers.authorization === `Bearer ${apiKey}`
      ? undefined
      : { status: 401, body: '{"error_v2":{"message":"Unauthorized"}}' },
  mostBytes: 4_194_304,
  accepted: { status: 200, body: '{"partialSuccess":{}}' }
}

export const startRamp = startOtlpIntake(rules)
