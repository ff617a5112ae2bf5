import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

const dsn = /^https:\/\/([^:@]+)(?::[^@]*)?@([^/]+)(?:\/[^/]+)*\/(\d+)\/?$/

/** A DSN is meant to be public: it is shown as it is. */
export const sentry = destinationType({
  type: "sentry",
  config: z.object({ dsn: required.regex(dsn), otlpEndpoint: required, headers }),
  secrets: {}
})
