import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const licenseKey = "0123456789loopbackNRAL"

/** Attributes beyond the limits are faults here at once; New Relic reports them later, as events of the account. */
const rules: OtlpPlatformRules<"newrelic"> = {
  type: "newrelic",
  config: (baseUrl) => ({ licenseKey, region: "eu", baseUrl }),
  path: "/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: (headers) => (headers["api-key"] === licenseKey ? undefined : { status: 403 }),
  mostBytes: 999_999,
  spanFault: ({ attributes }) => {
    for (const [key, value] of Object.entries(attributes)) {
      if (key.length > 255) return "A name of more than 255 characters"
      if (typeof value === "string" && value.length > 4095) return `${key}: more than 4,095 characters`
      if (Array.isArray(value) && value.length > 64) return `${key}: more than 64 values`
    }
    return undefined
  },
  accepted: { status: 200 }
}

export const startNewrelic = startOtlpIntake(rules)
