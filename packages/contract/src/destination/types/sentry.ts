import * as z from "zod"
import { destinationType, headers, requiredAddress } from "../destinationType.ts"

const dsn = /^https:\/\/([^:@]+)(?::[^@]*)?@([^/]+)(?:\/[^/]+)*\/(\d+)\/?$/

/** A DSN is meant to be public: it is shown, without the secret that older ones have behind the public key. */
export const sentry = destinationType({
  type: "sentry",
  config: z.object({
    dsn: requiredAddress.regex(dsn).describe("DSN of the Sentry project. Its public key authenticates the requests."),
    otlpEndpoint: requiredAddress.describe("OTLP endpoint of the Sentry project. `/v1/traces` is appended."),
    headers
  }),
  secrets: {}
})
