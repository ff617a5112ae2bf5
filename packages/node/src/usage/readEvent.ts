import { SentUsageEvent } from "@gatewarden/contract"
import { createHash } from "node:crypto"
import { describeIssues } from "../command/describeIssues.ts"
import { type SourceRecord } from "./SourceRecord.ts"

export type ReadEvent = { readonly event: SentUsageEvent } | { readonly reason: string }

/**
 * The usage event of a record, without bodies, which are not imported. One without an id gets one from `source`, the number of
 * its line and what it says, so that it has the same one whenever the file is read.
 */
export const readEvent = (record: SourceRecord, source: string): ReadEvent => {
  const read = record.read()
  if (!read.ok) return { reason: read.reason }
  const { value } = read
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "Expected an object" }
  const result = SentUsageEvent.safeParse(
    "id" in value && value.id != null ? value : { ...value, id: idOf(record, source) }
  )
  if (!result.success) return { reason: describeIssues(result.error).join("; ") }
  const { input: _, output: __, ...event } = result.data
  return { event }
}

const idOf = ({ line, bytes }: SourceRecord, source: string): string =>
  `line-${createHash("sha256").update(`${source}\0${line}\0`).update(bytes).digest("hex")}`
