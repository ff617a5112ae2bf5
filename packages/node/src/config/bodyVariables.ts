/** What a client may send at one time, and how slowly: the variables of `BodyLimits` (Rule: requests#bodies-in-flight). */
import { defaultBodyLimits, maxBodyGraceMillis, minBodyBytesPerSecond } from "@gatewarden/core/effect"
import * as z from "zod"

const integer = (min: number, max: number) => ({
  schema: z.string().transform((text, context) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    context.addIssue({ code: "custom", message: "is not valid" })
    return z.NEVER
  }),
  expected: `an integer from ${min} to ${max}`
})

const bytes = (meaning: string, size: number) =>
  ({ ...integer(1, 1_000_000_000_000), meaning, default: String(size) }) as const

const { graceMillis, minBytesPerSecond, uploads, json } = defaultBodyLimits

export const bodyVariables = {
  GATEWARDEN_HEADERS_TIMEOUT_MS: {
    ...integer(1000, 300_000),
    meaning: "Milliseconds that the headers of a request may take; past them 408.",
    default: "20000"
  },
  GATEWARDEN_BODY_TIMEOUT_MS: {
    ...integer(100, maxBodyGraceMillis),
    meaning: "Milliseconds that a body may be waited for, beside what its size allows; past them 408.",
    default: String(graceMillis)
  },
  GATEWARDEN_BODY_BYTES_PER_SECOND: {
    ...integer(minBodyBytesPerSecond, 1_000_000_000),
    meaning: "Bytes of a body that must arrive a second, on average, once GATEWARDEN_BODY_TIMEOUT_MS are over.",
    default: String(minBytesPerSecond)
  },
  GATEWARDEN_UPLOAD_BYTES_IN_FLIGHT: bytes(
    "Bytes of files that may be on their way at once; beyond, 503.",
    uploads.process
  ),
  GATEWARDEN_UPLOAD_BYTES_IN_FLIGHT_PER_KEY: bytes("The same of one key; beyond, 429.", uploads.key),
  GATEWARDEN_JSON_BYTES_IN_FLIGHT: bytes(
    "Bytes of bodies above 64 KiB that may be read and answered at once; beyond, 503.",
    json.process
  ),
  GATEWARDEN_JSON_BYTES_IN_FLIGHT_PER_KEY: bytes("The same of one key; beyond, 429.", json.key)
} as const
