/** What a client may send at one time, and how slowly: the variables of `BodyLimits` (Rule: requests#bodies-in-flight). */
import { defaultBodyLimits, maxBodyGraceMillis, minBodyBytesPerSecond } from "@gatewarden/core/internal"
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

const { firstByteMillis, graceMillis, minBytesPerSecond, uploads, json, answers } = defaultBodyLimits

export const bodyVariables = {
  GATEWARDEN_HEADERS_TIMEOUT_MS: {
    ...integer(1000, 300_000),
    meaning: "Milliseconds that the headers of a request may take; past them 408.",
    default: "20000"
  },
  GATEWARDEN_BODY_FIRST_BYTE_MS: {
    ...integer(100, maxBodyGraceMillis),
    meaning: "Milliseconds that the first byte of a body may be waited for; past them 408.",
    default: String(firstByteMillis)
  },
  GATEWARDEN_BODY_TIMEOUT_MS: {
    ...integer(100, maxBodyGraceMillis),
    meaning:
      "Milliseconds that a body may be waited for, beside what its size allows; past them 408. A client that reads an answer has as long.",
    default: String(graceMillis)
  },
  GATEWARDEN_BODY_BYTES_PER_SECOND: {
    ...integer(minBodyBytesPerSecond, 1_000_000_000),
    meaning: "Bytes that a client must send or read a second, on average, once GATEWARDEN_BODY_TIMEOUT_MS are over.",
    default: String(minBytesPerSecond)
  },
  GATEWARDEN_UPLOAD_BYTES_IN_FLIGHT: bytes(
    "Bytes of uploads that may have arrived and be unfinished at once; beyond, 503. The keys of one account may have an eighth, of which API keys and management keys leave each other a quarter, and an eighth of all is kept for management keys.",
    uploads.process
  ),
  GATEWARDEN_UPLOAD_BYTES_IN_FLIGHT_PER_KEY: bytes(
    "The same of one key; beyond, 429. At most half of the share of its account applies.",
    uploads.key
  ),
  GATEWARDEN_JSON_BYTES_IN_FLIGHT: bytes(
    "Bytes of bodies above 64 KiB that may be in memory at once, at most a quarter of the heap; beyond, 503. The keys of one account may have an eighth, of which API keys and management keys leave each other a quarter, and an eighth of all is kept for management and gateway keys.",
    json.process
  ),
  GATEWARDEN_JSON_BYTES_IN_FLIGHT_PER_KEY: bytes(
    "The same of one key; beyond, 429. At most half of the share of its account applies.",
    json.key
  ),
  GATEWARDEN_ANSWER_BYTES_IN_FLIGHT: bytes(
    "Bytes of answers above 64 KiB that may wait to be read at once; beyond, 503. The keys of one account may have an eighth, of which API keys and management keys leave each other a quarter, and an eighth of all is kept for management and gateway keys.",
    answers.process
  ),
  GATEWARDEN_ANSWER_BYTES_IN_FLIGHT_PER_KEY: bytes(
    "The same of one key; beyond, 503. At most half of the share of its account applies.",
    answers.key
  )
} as const
