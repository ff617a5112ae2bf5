/** The variables of retention: one for each row of the core's table. */
import type { RetentionSettings } from "@gatewarden/core"
import { type Retained, retained, retainedNames, retentionVariable } from "@gatewarden/core/internal"
import * as z from "zod"
import { printDuration, readDuration } from "./readDuration.ts"

export type RetentionVariable = `GATEWARDEN_KEEP_${Uppercase<Retained>}`

/** Of what and from when the time counts, as it ends the sentence "How long background work keeps …". */
const meanings: Readonly<Record<Retained, string>> = {
  idempotency_records: "answers of requests with an Idempotency-Key after they have ended",
  authorization_codes: "authorization codes that nobody exchanged after they have expired",
  token_exchanges:
    "keys of exchanged tokens after they have expired, and that a token was used once it has been expired for an hour",
  request_counts: "the rate limit window of a key or account after its last request",
  key_admissions: "admissions of keys with rate limits after they count no longer",
  holds: "settled, cancelled and expired holds after they were made; until then a late settlement finds them",
  budget_windows: "budget windows after their end",
  budget_warnings:
    "budget warnings after they were recorded; those of a lifetime budget stay as long as the budget's owner",
  changes: "changes of configuration, which the audit log lists, after they were made",
  deleted_keys:
    "the hash of a deleted key after its deletion; until then a caller is told that it was deleted. 90 days at most",
  key_secrets:
    "former secrets of rotated keys after they have ended; until then usage that names one is recorded under its key. The last 100 of a key at most",
  generation_feedback: "feedback on generations after it was given last",
  generation_contents:
    "the encrypted input and output of requests, where a workspace keeps them, after they were recorded",
  deliveries: "usage that waits for its destinations, with its encrypted bodies, after it was recorded",
  delivery_attempts: "the delivery log of destinations after each attempt; the last 500 of a destination at most",
  dead_letters: "what a destination did not accept, with its encrypted bodies, after the last attempt",
  alerts: "alerts, and what became of them on each channel, after they were recorded",
  unfinished_imports: "the bodies of a usage import that broke off after its last piece",
  ranking_days:
    "the daily sums that rankings and datasets read; older days are summed from the events when they are asked for"
}

const seconds = (least: number) =>
  z.string().transform((text, context) => {
    const millis = readDuration(text)
    if (millis !== undefined && millis >= least * 1_000) return millis / 1_000
    context.addIssue({ code: "custom", message: "is not valid" })
    return z.NEVER
  })

export const retentionVariables = Object.fromEntries(
  retainedNames.map((name) => {
    const { min_seconds, default_seconds } = retained[name]
    return [
      retentionVariable(name),
      {
        schema: seconds(min_seconds),
        expected: `a time such as 90s, 30m, 24h or 7d, from ${printDuration(min_seconds)}`,
        meaning: `How long background work keeps ${meanings[name]}.`,
        default: printDuration(default_seconds)
      }
    ]
  })
) as Readonly<
  Record<
    RetentionVariable,
    {
      readonly schema: ReturnType<typeof seconds>
      readonly expected: string
      readonly meaning: string
      readonly default: string
    }
  >
>

/** Seconds, and days of usage, as a configuration gives them. */
export const retentionOf = (
  values: Readonly<Record<RetentionVariable, number>> & { readonly GATEWARDEN_USAGE_RETENTION_DAYS: number | undefined }
): RetentionSettings => ({
  ...(Object.fromEntries(
    retainedNames.map((name) => [name, values[retentionVariable(name) as RetentionVariable]])
  ) as Record<Retained, number>),
  usage_days: values.GATEWARDEN_USAGE_RETENTION_DAYS
})
