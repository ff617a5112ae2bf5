import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

const dsn = /^https:\/\/([^:@]+)(?::[^@]*)?@([^/]+)(?:\/[^/]+)*\/(\d+)\/?$/

/** A DSN is meant to be public: it is shown, without the secret that older ones have behind the public key. */
export const sentry = destinationType({
  type: "sentry",
  config: z.object({ dsn: required.regex(dsn), otlpEndpoint: required, headers }),
  secrets: {}
})
