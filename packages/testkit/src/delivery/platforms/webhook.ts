import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

/** An endpoint of the user's, which takes a request without spans for a fault, as many do: a connection test passes all the same. */
const rules: OtlpPlatformRules<"webhook"> = {
  type: "webhook",
  config: (origin) => ({ url: `${origin}/hooks/traces?from=gatewarden`, method: "PUT" }),
  methods: ["PUT"],
  path: "/hooks/traces?from=gatewarden",
  contentTypes: ["application/json"],
  unauthorized: () => undefined,
  mostBytes: 1_048_576,
  isEmptyFault: true,
  accepted: { status: 204 }
}

export const startWebhook = startOtlpIntake(rules)
